/**
 * The notices of receivers that refuse this server's address, and of preflights that have found something worse than before: one a day for each
 * receiver, and one for each preflight. Receivers without a profile cause none: anybody can run as many as they like, and would write to the
 * operators.
 */
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";
import { delistingPageOf } from "../../receivers/receiver.ts";
import {
  type ClosedAddress,
  closedAt,
  type ReceiverReport,
  type ReceiverSources,
  readReceivers,
} from "../reports/receivers.ts";
import type { NoticeDraft } from "./notice.ts";

export interface BlockedReceiverParts {
  store: ReceiverSources["spool"];
  traffic: () => Promise<ReceiverSources["traffic"]>;
  /** DESTINATION_LIMITS. */
  configured: ReceiverSources["configured"];
}

/** Some receivers refuse an address for a few minutes. */
const BLOCKED_AT_LEAST_MS = 10 * MINUTE_MS;

const LINK = "/dashboard/operator/receivers";

export async function blockNotices(
  { store: spool, traffic, configured }: BlockedReceiverParts,
  nowMs: number,
): Promise<NoticeDraft[]> {
  const receivers = await readReceivers({ spool, traffic: await traffic(), configured, nowMs });
  const day = Math.floor(nowMs / DAY_MS);
  return receivers.flatMap((receiver) => {
    const blocked = closedAt(receiver).find(
      ({ state, closed }) => state === "blocked" && nowMs - closed.sinceMs >= BLOCKED_AT_LEAST_MS,
    );
    return receiver.profile === null || blocked === undefined ? [] : [blockNotice(receiver, blocked, day)];
  });
}

function blockNotice(
  { name, profile }: ReceiverReport,
  { address, closed: { sinceMs, probeAtMs, last } }: ClosedAddress,
  day: number,
): NoticeDraft {
  const label = profile?.label ?? name;
  const page = delistingPageOf(profile);
  return {
    kind: "receiver_blocks",
    accountId: null,
    cause: `receiver ${name}`,
    occurrence: `day ${day}`,
    subject: `${label} rejects this server's address`,
    paragraphs: [
      `${label} has rejected mail of this server${address === null ? "" : ` from ${address}`} since ${rfc3339(Math.round(sinceMs))}, because of its address or name.`,
      `Its last reply: ${last?.text ?? "none"}`,
      `No recipient fails because of it: the messages wait, and one of them is tried at ${rfc3339(Math.round(probeAtMs))}.`,
      ...(page === null ? [] : [`Where to ask for delisting: ${page}`]),
      "Its state, and what it has replied:",
    ],
    link: LINK,
  };
}

/** The notice of what a preflight of a node has found to be worse. */
export const worseNotice = (node: string, sentences: readonly string[], atMs: number): NoticeDraft => ({
  kind: "preflight_worse",
  accountId: null,
  cause: `preflight ${node}`,
  occurrence: `at ${atMs}`,
  subject: "A preflight of this server's addresses has found something worse",
  paragraphs: [`The preflight of ${rfc3339(atMs)} has found what the one before it did not:`, ...sentences],
  link: LINK,
});
