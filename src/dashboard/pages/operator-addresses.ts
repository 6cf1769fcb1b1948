/** The operator's routes for sending addresses. */
import { type ReceiverReport, readReceivers } from "../../app/reports/receivers.ts";
import { readSendingAddresses, warmUpsAt } from "../../app/reports/sending-addresses.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { addressesPage, addressPage } from "./addresses-page.tsx";
import type { Pages } from "./routes.ts";

export function createOperatorAddresses(parts: DashboardParts): Pages {
  const { spool, nodes, clock } = parts;
  const receivers = async (): Promise<ReceiverReport[]> => {
    const { traffic, destinationLimits: configured } = parts;
    return readReceivers({ spool, traffic: await traffic(), configured, nowMs: clock.now() });
  };
  return {
    "GET /operator/addresses": async (_ctx, auth) => {
      const [addresses, reports] = await Promise.all([readSendingAddresses(spool, nodes), receivers()]);
      const listed = addresses.map((address) => ({
        ...address,
        blockedAt: reports.flatMap(({ name, addresses: of }) =>
          of.some(({ address: ip, closed }) => ip === address.ip && closed !== null) ? [name] : [],
        ),
      }));
      return addressesPage(auth, listed);
    },
    "GET /operator/addresses/:ip": async (ctx, auth) => {
      const address = (await readSendingAddresses(spool, nodes)).find(({ ip }) => ip === ctx.params.ip);
      if (address === undefined) throw notFound();
      const [reports, warmUps] = await Promise.all([receivers(), warmUpsAt(spool, address, clock)]);
      const at = reports.flatMap(({ name, addresses }) => {
        const found = addresses.find((each) => each.address === address.ip);
        return found === undefined ? [] : [[name, found] as const];
      });
      return addressPage(auth, { address, receivers: new Map(at), warmUps, nowMs: clock.now() });
    },
  };
}
