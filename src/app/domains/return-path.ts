/** Turning a domain's return path on or off, for the command line and the dashboard. */
import { fitsReturnPath } from "../../message/return-path.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";

export type ReturnPathResult = "done" | "not_bound" | "name_too_long";

/** The checks of a return path that was turned on run soon. Rejects with SpoolUnavailable. */
export async function setReturnPath(
  registry: Pick<Registry, "setReturnPath">,
  { accountId, name }: Pick<Domain, "accountId" | "name">,
  { on, nowMs }: { on: boolean; nowMs: number },
): Promise<ReturnPathResult> {
  if (on && !fitsReturnPath(name)) return "name_too_long";
  return (await registry.setReturnPath(accountId, name, on, nowMs)) ? "done" : "not_bound";
}

/** The warning where the service does not listen for what comes back; null where it does. */
export function inboundWarning({ inboundPort }: { inboundPort: number | null }): string | null {
  if (inboundPort !== null) return null;
  return "INBOUND_PORT is not set: the service does not accept what is sent to the return path, so bounces are lost. Set it, usually to 25.";
}
