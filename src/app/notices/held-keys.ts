/** The notices of API keys that are held, one for each hold, and that come near their limit, one a day. */
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { causeText, type FuseCause } from "../../message/key-fuse.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { KeyFuse } from "../../spool/port/key-fuses.ts";
import type { NoticeDraft } from "./notice.ts";

export interface HeldKeyParts {
  registry: Pick<Registry, "accounts" | "keys" | "keyFuses">;
}

/** An older hold has had its notice. */
const HELD_WITHIN_MS = DAY_MS;

export async function heldKeyNotices({ registry }: HeldKeyParts, nowMs: number): Promise<NoticeDraft[]> {
  const drafts: NoticeDraft[] = [];
  for (const fuse of await registry.keyFuses()) {
    const atMs = fuse.held?.sinceMs ?? fuse.warned?.atMs ?? 0;
    if (nowMs - atMs <= HELD_WITHIN_MS) drafts.push(await draftOf(registry, fuse));
  }
  return drafts;
}

async function draftOf(
  registry: HeldKeyParts["registry"],
  { keyId, accountId, held, warned }: KeyFuse,
): Promise<NoticeDraft> {
  const keyName = (await registry.keys(accountId)).find(({ id }) => id === keyId)?.name ?? "unknown";
  const account = (await registry.accounts()).find(({ id }) => id === accountId)?.name ?? accountId;
  const key = `the API key ${keyName} (${keyId}) of the account ${account}`;
  const about = { accountId, link: "/dashboard/keys" } as const;
  if (held === null) {
    return {
      ...about,
      kind: "key_warned",
      cause: `key warned ${keyId}`,
      occurrence: `day ${Math.floor((warned?.atMs ?? 0) / DAY_MS)}`,
      subject: `The API key ${keyName} sends more than usual`,
      paragraphs: warningOf(key, warned?.cause ?? null),
    };
  }
  return {
    ...about,
    kind: "key_held",
    cause: `key held ${keyId}`,
    occurrence: `since ${held.sinceMs}`,
    subject: `The API key ${keyName} is held`,
    paragraphs: holdOf(key, keyId, held),
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
