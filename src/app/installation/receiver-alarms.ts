/**
 * Tells the operators by email that a receiver refuses this server's address, or that a preflight has found something worse than before:
 * at most one message a day for each receiver, and one for each preflight. Receivers without a profile cause none: anybody can run as many
 * as they like, and would write to the operators.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";
import { delistingPageOf } from "../../receivers/receiver.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import {
  type ClosedAddress,
  closedAt,
  type ReceiverReport,
  type ReceiverSources,
  readReceivers,
} from "../reports/receivers.ts";
import { type Notice, type NoticeParts, notifyOperators } from "../send/notices.ts";

export interface ReceiverAlarmParts extends NoticeParts {
  clock: Clock;
  registry: Pick<Registry, "accounts" | "domains">;
  spool: ReceiverSources["spool"];
  traffic: () => Promise<ReceiverSources["traffic"]>;
  /** DESTINATION_LIMITS. */
  configured: ReceiverSources["configured"];
  /** Base URL of links, without a final slash. */
  publicUrl: string;
}

const LOOK_EVERY_MS = 5 * MINUTE_MS;
/** Some receivers refuse an address for a few minutes. */
const BLOCKED_AT_LEAST_MS = 10 * MINUTE_MS;

/** Looks for blocks from now on. Returns how to stop. */
export function startReceiverAlarms(parts: ReceiverAlarmParts): () => void {
  /** What this process has told: by receiver, the day. */
  const told = new Map<string, number>();
  let isStopped = false;
  let cancel = (): void => {};
  const schedule = (): void => {
    if (isStopped) return;
    cancel = parts.clock.after(LOOK_EVERY_MS, () => {
      void tellBlocks(parts, told)
        .catch((error: unknown) => parts.log.warn({ error: errorText(error) }, "alarms of receivers failed"))
        .then(schedule);
    });
  };
  schedule();
  return () => {
    isStopped = true;
    cancel();
  };
}

async function tellBlocks(parts: ReceiverAlarmParts, told: Map<string, number>): Promise<void> {
  const { spool, traffic, configured, clock } = parts;
  const nowMs = clock.now();
  const day = Math.floor(nowMs / DAY_MS);
  const receivers = await readReceivers({ spool, traffic: await traffic(), configured, nowMs });
  for (const receiver of receivers) {
    const { name, profile } = receiver;
    const blocked = closedAt(receiver).find(
      ({ state, closed }) => state === "blocked" && nowMs - closed.sinceMs >= BLOCKED_AT_LEAST_MS,
    );
    if (profile === null || blocked === undefined || told.get(name) === day) continue;
    if (await notifyOperators(parts, blockNotice(receiver, blocked, { day, publicUrl: parts.publicUrl })))
      told.set(name, day);
  }
}

function blockNotice(
  { name, profile }: ReceiverReport,
  { address, closed: { sinceMs, probeAtMs, last } }: ClosedAddress,
  { day, publicUrl }: { day: number; publicUrl: string },
): Notice {
  const label = profile?.label ?? name;
  const page = delistingPageOf(profile);
  const paragraphs = [
    `${label} has refused mail of this server${address === null ? "" : ` from ${address}`} since ${rfc3339(Math.round(sinceMs))}, because of its address or name.`,
    `Its last reply: ${last?.text ?? "none"}`,
    `No recipient fails because of it: the messages wait, and one of them is tried at ${rfc3339(Math.round(probeAtMs))}.`,
    ...(page === null ? [] : [`Where to ask for delisting: ${page}`]),
    "Its state, and what it has replied:",
    `${publicUrl}/dashboard/operator/receivers`,
  ];
  return {
    subject: `${label} refuses this server's address`,
    text: `${paragraphs.join("\n\n")}\n`,
    idempotencyKey: `receiver-block ${name} ${day}`,
    about: { receiver: name },
  };
}

/** Tells what a preflight has found to be worse. */
export async function tellWorse(
  parts: Pick<ReceiverAlarmParts, keyof NoticeParts | "registry" | "publicUrl">,
  sentences: readonly string[],
  atMs: number,
): Promise<void> {
  const paragraphs = [
    `The preflight of ${rfc3339(atMs)} has found what the one before it did not:`,
    ...sentences,
    `${parts.publicUrl}/dashboard/operator/receivers`,
  ];
  await notifyOperators(parts, {
    subject: "A preflight of this server's addresses has found something worse",
    text: `${paragraphs.join("\n\n")}\n`,
    idempotencyKey: `preflight ${atMs}`,
    about: { preflight: rfc3339(atMs) },
  });
}
