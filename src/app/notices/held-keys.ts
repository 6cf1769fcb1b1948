/** The notices of API keys that are held, one for each hold, and that come near their limit, one a day. */
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { causeText, type FuseCause } from "../../message/key-fuse.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { KeyFuse } from "../../spool/port/key-fuses.ts";
import type { NoticeDraft } from "./notice.ts";
import type { NoticeBoard } from "./notice-board.ts";

export interface HeldKeyParts {
  registry: Pick<Registry, "accounts" | "keys" | "keyFuses">;
  board: Pick<NoticeBoard, "isKnown">;
}

/** An older hold has had its notice. */
const HELD_WITHIN_MS = DAY_MS;

/** Those that are not known yet: only their names are looked up. */
export async function heldKeyNotices({ registry, board }: HeldKeyParts, nowMs: number): Promise<NoticeDraft[]> {
  const recent = (await registry.keyFuses()).filter(({ held, warned }) => {
    const atMs = held?.sinceMs ?? warned?.atMs ?? 0;
    return nowMs - atMs <= HELD_WITHIN_MS;
  });
  const fresh = recent.filter((fuse) => !board.isKnown(identityOf(fuse)));
  if (fresh.length === 0) return [];
  const accounts = new Map((await registry.accounts()).map(({ id, name }) => [id, name]));
  const keys = new Map<string, string>();
  for (const accountId of new Set(fresh.map((fuse) => fuse.accountId)))
    for (const { id, name } of await registry.keys(accountId)) keys.set(id, name);
  return fresh.map((fuse) =>
    draftOf(fuse, {
      keyName: keys.get(fuse.keyId) ?? "unknown",
      account: accounts.get(fuse.accountId) ?? fuse.accountId,
    }),
  );
}

const identityOf = ({ keyId, held, warned }: KeyFuse): Pick<NoticeDraft, "cause" | "occurrence"> =>
  held === null
    ? { cause: `key warned ${keyId}`, occurrence: `day ${Math.floor((warned?.atMs ?? 0) / DAY_MS)}` }
    : { cause: `key held ${keyId}`, occurrence: `since ${held.sinceMs}` };

function draftOf(fuse: KeyFuse, { keyName, account }: { keyName: string; account: string }): NoticeDraft {
  const { keyId, accountId, held, warned } = fuse;
  const key = `the API key ${keyName} (${keyId}) of the account ${account}`;
  const about = { accountId, link: "/dashboard/keys", ...identityOf(fuse) } as const;
  if (held === null) {
    return {
      ...about,
      kind: "key_warned",
      subject: `The API key ${keyName} sends more than usual`,
      paragraphs: warningOf(key, warned?.cause ?? null),
    };
  }
  return {
    ...about,
    kind: "key_held",
    subject: `The API key ${keyName} is held`,
    paragraphs: holdOf(key, keyId, held),
  };
}

const warningOf = (key: string, cause: FuseCause | null): string[] => [
  `Postrider warns about ${key}: ${why(cause)}. If it goes on to send so much, it is held.`,
  "If this is not your mail, revoke the key. If it is, and comes rarely, give the key its own limit, or turn its fuse off: postrider keys fuse.",
];

const holdOf = (key: string, keyId: string, { sinceMs, cause }: NonNullable<KeyFuse["held"]>): string[] => [
  `Postrider holds the mail of ${key} since ${rfc3339(sinceMs)}: ${why(cause)}. Somebody may have got hold of the key.`,
  "Its further messages are accepted and kept. Nothing is lost, and nothing of it is sent until you decide:",
  `If this is your mail: postrider keys release ${keyId}`,
  `If it is not: postrider keys revoke ${keyId} and postrider keys cancel-held ${keyId}`,
];

const why = (cause: FuseCause | null): string =>
  cause === null ? "it sends far above what it normally does" : causeText(cause);
