/** Which messages have an envelope sender for each recipient, and how often the store is asked. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type ReturnPathParts, StoredReturnPaths } from "../../../src/delivery/dispatch/return-paths.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { messageId } from "../../../src/message/ids.ts";
import { readReturnPath } from "../../../src/message/return-path.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const KEY = Buffer.alloc(32, 1);
const ID = messageId(1_700_000_000_000, randomBytes);
const LIVE = { domainId: "dom_a", domain: "customers.example" };
const TEST = { domainId: "dom_a", domain: testRouteOf("acc_a") };

/** `active`: the name that the store has for an active return path; an Error is what it rejects with. */
function setUp(active: string | null, name = "shop.example") {
  const clock = fakeClock();
  const state = { active: active as string | null | Error };
  const asked: string[] = [];
  const warnings: object[] = [];
  const parts: ReturnPathParts = {
    store: {
      async returnPath(domainId) {
        asked.push(`return path of ${domainId}`);
        if (state.active instanceof Error) throw state.active;
        return state.active;
      },
      async signingKey(domainId) {
        asked.push(`name of ${domainId}`);
        return { domain: name };
      },
    },
    key: KEY,
    clock,
    log: { warn: (fields: object) => void warnings.push(fields) } as unknown as Logger,
  };
  return { clock, state, asked, warnings, paths: new StoredReturnPaths(parts) };
}

test("with an active return path, each recipient has the address of its message and position", async () => {
  const { paths } = setUp("shop.example");
  const senders = (await paths.of(LIVE)) ?? assert.fail("no return path");
  for (const position of [0, 1, 49]) {
    assert.deepEqual(readReturnPath(senders(ID, position), KEY), { messageId: ID, position, domain: "shop.example" });
  }
});

test("without one, there is none", async () => {
  const { paths } = setUp(null);
  assert.equal(await paths.of(LIVE), null);
});

test("test messages have one in any case, also beside live messages of the domain", async () => {
  const { paths, asked } = setUp(null);
  assert.equal(await paths.of(LIVE), null);
  const senders = (await paths.of(TEST)) ?? assert.fail("no return path");
  assert.equal(readReturnPath(senders(ID, 0), KEY)?.domain, "shop.example");
  assert.equal(await paths.of(LIVE), null);
  assert.deepEqual(asked, ["return path of dom_a", "name of dom_a"]);
});

test("a domain too long for these addresses has none", async () => {
  const long = `${"a.".repeat(96)}example`;
  assert.equal(await setUp(long).paths.of(LIVE), null);
  assert.equal(await setUp(null, long).paths.of(TEST), null);
});

test("the store is asked every ten seconds, for each domain", async () => {
  const { paths, asked, clock, state } = setUp(null);
  for (let count = 0; count < 100; count += 1) await paths.of(LIVE);
  assert.equal(asked.length, 1);
  await paths.of({ ...LIVE, domainId: "dom_b" });
  assert.deepEqual(asked, ["return path of dom_a", "return path of dom_b"]);
  state.active = "shop.example";
  await clock.advance(9_999);
  assert.equal(await paths.of(LIVE), null);
  await clock.advance(1);
  assert.notEqual(await paths.of(LIVE), null);
  assert.equal(asked.length, 3);
});

test("a store that fails has no return paths, is not asked by each message, and is logged once until it works", async () => {
  const { paths, asked, warnings, clock, state } = setUp("shop.example");
  const fail = async () => {
    state.active = new SpoolUnavailable("the database is gone");
    for (let count = 0; count < 3; count += 1) {
      assert.equal(await paths.of(LIVE), null);
      assert.equal(await paths.of(LIVE), null);
      await clock.advance(10_000);
    }
  };
  await fail();
  assert.deepEqual(warnings, [{ domainId: "dom_a", error: "the database is gone" }]);
  assert.equal(asked.length, 3);
  state.active = "shop.example";
  assert.notEqual(await paths.of(LIVE), null);
  await clock.advance(10_000);
  await fail();
  assert.equal(warnings.length, 2);
});
