/** The messages about held keys: who gets them, once, and what they say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startKeyAlarms } from "../../../src/app/installation/key-alarms.ts";
import type { AcceptRequest, AcceptResult } from "../../../src/app/send/accept-message.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { ApiKey } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import type { KeyFuse } from "../../../src/spool/port/key-fuses.ts";
import type { User } from "../../../src/spool/port/people.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const START_MS = 20_000 * 86_400_000;
const HOUR_MS = 3_600_000;
const CAUSE = { kind: "rate", count: 201, limit: 200, per: "span" } as const;

function stage() {
  const clock = fakeClock(START_MS);
  const sent: AcceptRequest[] = [];
  const fuses: KeyFuse[] = [];
  const users = [
    { id: "usr_1", email: "op@ops.example", accountId: "acc_ops", role: "owner", operator: true },
    { id: "usr_2", email: "owner@shop.example", accountId: "acc_shop", role: "owner", operator: false },
    { id: "usr_3", email: "dev@shop.example", accountId: "acc_shop", role: "developer", operator: false },
    { id: "usr_4", email: "owner@other.example", accountId: "acc_other", role: "owner", operator: false },
  ] as User[];
  const parts = {
    clock,
    log: silentLog,
    publicUrl: "https://mail.example",
    registry: {
      accounts: async () => ["ops", "shop", "other"].map((name) => ({ id: `acc_${name}`, name })) as Account[],
      domains: async (accountId: string) =>
        [{ name: `${accountId.slice("acc_".length)}.example`, accountId, verified: true }] as Domain[],
      keys: async () => [{ id: "key_1", name: "website" }] as ApiKey[],
      keyFuses: async () => fuses,
    },
    people: { users: async (accountId: string | null) => users.filter((user) => user.accountId === accountId) },
    acceptMessage: {
      async accept(request: AcceptRequest): Promise<AcceptResult> {
        sent.push(request);
        return { type: "accepted", id: "msg_1" };
      },
    },
  };
  const fuse = (more: Partial<KeyFuse>): KeyFuse => {
    const key = { keyId: "key_1", accountId: "acc_shop", limit: null, isOff: false, releasedAtMs: null };
    return { ...key, held: null, warned: null, ...more };
  };
  const take = () => sent.splice(0).map((each) => ({ to: each.draft.summary.to[0]?.address, text: textOf(each) }));
  return { clock, parts, fuses, fuse, take };
}

const textOf = ({ draft }: AcceptRequest): string =>
  draft.content().bytes.toString("utf8").replaceAll("=\r\n", "").replaceAll("\r\n", "\n");

test("a hold is told once to the owners of the account and to the operators", async (t) => {
  const { clock, parts, fuses, fuse, take } = stage();
  t.after(startKeyAlarms(parts));
  await clock.advance(HOUR_MS);
  assert.deepEqual(take(), []);
  fuses.push(fuse({ held: { sinceMs: clock.now(), cause: CAUSE } }));
  await clock.advance(5000);
  const told = take();
  assert.deepEqual(told.map(({ to }) => to).sort(), ["op@ops.example", "owner@shop.example"]);
  for (const { text } of told)
    for (const part of [
      "website",
      "account shop",
      "201 recipients in ten minutes",
      "keys release key_1",
      "cancel-held",
    ])
      assert.ok(text.includes(part), part);
  await clock.advance(30 * HOUR_MS);
  assert.deepEqual(take(), []);
  fuses[0] = fuse({ held: { sinceMs: clock.now(), cause: null } });
  await clock.advance(5000);
  assert.equal(take().length, 2, "a second hold");
});

test("a warning is told to the owners alone, once a day; a hold of long ago to nobody", async (t) => {
  const { clock, parts, fuses, fuse, take } = stage();
  fuses.push(fuse({ keyId: "key_2", held: { sinceMs: clock.now() - 25 * HOUR_MS, cause: CAUSE } }));
  t.after(startKeyAlarms(parts));
  await clock.advance(5000);
  assert.deepEqual(take(), []);
  fuses.push(fuse({ warned: { atMs: clock.now(), cause: CAUSE } }));
  await clock.advance(5000);
  assert.deepEqual(
    take().map(({ to }) => to),
    ["owner@shop.example"],
  );
  fuses[1] = fuse({ warned: { atMs: clock.now() + HOUR_MS, cause: CAUSE } });
  await clock.advance(2 * HOUR_MS);
  assert.deepEqual(take(), []);
});
