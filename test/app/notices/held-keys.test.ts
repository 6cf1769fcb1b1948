/** The notices of held keys: once for each hold, and what they say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { heldKeyNotices } from "../../../src/app/notices/held-keys.ts";
import { NoticeBoard, postAll } from "../../../src/app/notices/notice-board.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { ApiKey } from "../../../src/spool/port/api-keys.ts";
import type { KeyFuse } from "../../../src/spool/port/key-fuses.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeNotices } from "../../support/notices.ts";

const START_MS = 20_000 * 86_400_000;
const HOUR_MS = 3_600_000;
const CAUSE = { kind: "rate", count: 201, limit: 200, per: "span" } as const;

function stage() {
  const clock = fakeClock(START_MS);
  const store = new FakeNotices();
  const fuses: KeyFuse[] = [];
  const registry = {
    accounts: async () => [{ id: "acc_shop", name: "shop" }] as Account[],
    keys: async () => [{ id: "key_1", name: "website" }] as ApiKey[],
    keyFuses: async () => fuses,
  };
  const fuse = (more: Partial<KeyFuse>): KeyFuse => {
    const key = { keyId: "key_1", accountId: "acc_shop", limit: null, isOff: false, releasedAtMs: null };
    return { ...key, held: null, warned: null, ...more };
  };
  const look = async (): Promise<void> => {
    // A process that has just taken the duty knows of no notice.
    const board = new NoticeBoard({ store, clock });
    await postAll(board, await heldKeyNotices({ registry, board }, clock.now()));
  };
  return { clock, store, fuses, fuse, look };
}

test("a hold is noticed once; another one of the key within the hour after that hour", async () => {
  const { clock, store, fuses, fuse, look } = stage();
  await look();
  fuses.push(fuse({ held: { sinceMs: clock.now(), cause: CAUSE } }));
  await look();
  assert.equal(store.stored.length, 1);
  const [notice] = store.stored;
  assert.deepEqual(
    [notice?.kind, notice?.accountId, notice?.subject, notice?.link],
    ["key_held", "acc_shop", "The API key website is held", "/dashboard/keys"],
  );
  for (const part of ["website", "account shop", "201 recipients in ten minutes", "keys release key_1", "cancel-held"])
    assert.ok(notice?.text.includes(part), part);
  await look();
  fuses[0] = fuse({ held: { sinceMs: clock.now() + 1000, cause: null } });
  await clock.advance(HOUR_MS - 1000);
  await look();
  assert.equal(store.stored.length, 1);
  await clock.advance(1000);
  await look();
  assert.equal(store.stored.length, 2, "a second hold");
});

test("a warning is noticed once a day; a hold of long ago is not", async () => {
  const { clock, store, fuses, fuse, look } = stage();
  fuses.push(fuse({ keyId: "key_2", held: { sinceMs: clock.now() - 25 * HOUR_MS, cause: CAUSE } }));
  await look();
  assert.equal(store.stored.length, 0);
  fuses.push(fuse({ warned: { atMs: clock.now(), cause: CAUSE } }));
  await look();
  fuses[1] = fuse({ warned: { atMs: clock.now() + 2 * HOUR_MS, cause: CAUSE } });
  await clock.advance(3 * HOUR_MS);
  await look();
  assert.deepEqual(
    store.stored.map(({ kind, subject }) => [kind, subject]),
    [["key_warned", "The API key website sends more than usual"]],
  );
});
