/** The operator's routes for receivers: show, set limits, reset them. */
import type { Context } from "koa";
import { resetReceiverLimits, setReceiverLimits } from "../../app/decide/receivers.ts";
import { type ReceiverSources, readReceiver, readReceivers } from "../../app/reports/receivers.ts";
import { readStanding } from "../../app/reports/standing.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { receiverPage } from "./receiver-page.tsx";
import { type ReceiversState, receiversPage, receiversVersion } from "./receivers-page.tsx";
import type { Pages } from "./routes.ts";

const TYPED_LENGTH_MAX = 1000;

export function createOperatorReceivers(parts: DashboardParts): Pages {
  const sources = async (): Promise<ReceiverSources> => {
    const { spool, clock, traffic, destinationLimits: configured } = parts;
    return { spool, traffic: await traffic(), configured, nowMs: clock.now() };
  };
  const state = async (): Promise<ReceiversState> => {
    const from = await sources();
    return { receivers: await readReceivers(from), nowMs: from.nowMs };
  };
  return {
    "GET /operator/receivers": async (ctx, auth) =>
      receiversPage(auth, { ...(await state()), done: String(ctx.query.done) }),
    "GET /operator/receivers/state": async (ctx) => {
      ctx.body = { version: receiversVersion(await state()) };
    },
    "GET /operator/receivers/:name": async (ctx, auth) => {
      const from = await sources();
      const receiver = await readReceiver(from, ctx.params.name ?? "");
      if (receiver === null) throw notFound();
      const { spool, registry } = parts;
      const { nowMs } = from;
      return receiverPage(auth, {
        receiver,
        standing: await readStanding(receiver, { spool, registry, nowMs }),
        nowMs,
      });
    },
    "POST /operator/receivers": (ctx, auth) => set(ctx, auth, parts, state),
    "POST /operator/receivers/reset": async (ctx) => {
      await resetReceiverLimits(parts.spool, field(ctx, "name"));
      ctx.redirect("/dashboard/operator/receivers?done=reset");
    },
  };
}

async function set(
  ctx: Context,
  auth: AuthContext,
  { spool }: DashboardParts,
  state: () => Promise<ReceiversState>,
): Promise<unknown> {
  const typedIn = (name: string): string => field(ctx, name).slice(0, TYPED_LENGTH_MAX);
  const typed = {
    name: typedIn("name"),
    connections: typedIn("connections"),
    messagesPerConnection: typedIn("messages_per_connection"),
    messagesPerMinute: typedIn("messages_per_minute"),
    pause: typedIn("pause"),
  };
  const result = await setReceiverLimits(spool, typed.name, typed);
  if (result.type !== "invalid") {
    ctx.redirect(`/dashboard/operator/receivers?done=${result.type}`);
    return;
  }
  ctx.status = 400;
  return receiversPage(auth, { ...(await state()), typed, fault: result.fault });
}
