/**
 * Notices by email: to the owners of an account and the operators when an API key is held, one for each hold; to the owners when a key comes near
 * its limit, at most one a day.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import { DAY_MS } from "../../lib/units.ts";
import { causeText, type FuseCause } from "../../message/key-fuse.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { KeyFuse } from "../../spool/port/key-fuses.ts";
import { type Notice, type NoticeParts, notifyOperators, sendNotice } from "../send/notices.ts";

export interface KeyAlarmParts extends NoticeParts {
  clock: Clock;
  registry: Pick<Registry, "accounts" | "domains" | "keys" | "keyFuses">;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
}

const LOOK_EVERY_MS = 5000;

/** The process that had this duty before has sent the notice of an older hold. */
const TOLD_WITHIN_MS = DAY_MS;

/** Looks for held keys from now on. Returns how to stop. */
export function startKeyAlarms(parts: KeyAlarmParts): () => void {
  /** What this process has told. */
  const told = new Set<string>();
  let isStopped = false;
  let cancel = (): void => {};
  const schedule = (): void => {
    if (isStopped) return;
    cancel = parts.clock.after(LOOK_EVERY_MS, () => {
      void tellHeld(parts, told)
        .catch((error: unknown) => parts.log.warn({ error: errorText(error) }, "alarms of API keys failed"))
        .then(schedule);
    });
  };
  schedule();
  return () => {
    isStopped = true;
    cancel();
  };
}

async function tellHeld(parts: KeyAlarmParts, told: Set<string>): Promise<void> {
  const nowMs = parts.clock.now();
  for (const fuse of await parts.registry.keyFuses()) {
    const { accountId, held, warned } = fuse;
    const atMs = held?.sinceMs ?? warned?.atMs ?? 0;
    const name = noticeName(fuse);
    if (nowMs - atMs > TOLD_WITHIN_MS || told.has(name)) continue;
    const notice = await noticeOf(parts, fuse, name);
    const users = (await parts.people.users(accountId)).filter(({ role, operator }) => role === "owner" && !operator);
    const isToldToOwners = await sendNotice(parts, { accountId, users }, notice);
    // An account with many keys could write to the operators all day by sending nearly too much.
    const isToldToOperators = held === null || (await notifyOperators(parts, notice));
    if (isToldToOwners && isToldToOperators) told.add(name);
  }
}

/** One for each hold, and one a day for warnings. */
const noticeName = ({ keyId, held, warned }: KeyFuse): string =>
  held === null
    ? `key-warned ${keyId} ${Math.floor((warned?.atMs ?? 0) / DAY_MS)}`
    : `key-held ${keyId} ${held.sinceMs}`;

async function noticeOf(
  { registry, publicUrl }: KeyAlarmParts,
  { keyId, accountId, held, warned }: KeyFuse,
  idempotencyKey: string,
): Promise<Notice> {
  const keyName = (await registry.keys(accountId)).find(({ id }) => id === keyId)?.name ?? "unknown";
  const account = (await registry.accounts()).find(({ id }) => id === accountId)?.name ?? accountId;
  const key = `the API key ${keyName} (${keyId}) of the account ${account}`;
  const paragraphs = held === null ? warningOf(key, warned?.cause ?? null) : holdOf(key, keyId, held);
  return {
    subject: held === null ? `The API key ${keyName} sends more than usual` : `The API key ${keyName} is held`,
    text: `${[...paragraphs, `${publicUrl}/dashboard/keys`].join("\n\n")}\n`,
    idempotencyKey,
    about: { keyId },
  };
}

const warningOf = (key: string, cause: FuseCause | null): string[] => [
  `Postrider warns about ${key}: ${why(cause)}. If it goes on to send so much, it is held.`,
  "If this is not your mail, revoke the key. If it is, and comes rarely, give the key a limit of its own, or turn its fuse off: postrider keys fuse.",
];

const holdOf = (key: string, keyId: string, { sinceMs, cause }: NonNullable<KeyFuse["held"]>): string[] => [
  `Postrider holds the mail of ${key} since ${rfc3339(sinceMs)}: ${why(cause)}. Somebody may have got hold of the key.`,
  "Its further messages are accepted and kept. Nothing is lost, and nothing of it is sent until you decide:",
  `If this is your mail: postrider keys release ${keyId}`,
  `If it is not: postrider keys revoke ${keyId} and postrider keys cancel-held ${keyId}`,
];

const why = (cause: FuseCause | null): string =>
  cause === null ? "it sends far above what it normally does" : causeText(cause);
