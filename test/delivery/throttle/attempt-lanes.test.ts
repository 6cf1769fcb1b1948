/** What attempts count as: fair shares for prompt destinations, a pool with places for all that may wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AttemptLanes, type LanedAttempt, WAITS_AFTER_MS } from "../../../src/delivery/throttle/attempt-lanes.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";

const ACCOUNT = "acc_a";

/** Lanes, and a moment that the test moves. */
function setUp(max = 500) {
  const lanes = new AttemptLanes(max);
  const at = { nowMs: 0 };
  const begin = (domain: string, accountId = ACCOUNT): LanedAttempt => {
    const attempt = lanes.begin({ accountId, domain }, at.nowMs);
    lanes.route(attempt, `mx.${domain}`, at.nowMs);
    return attempt;
  };
  const end = (attempt: LanedAttempt, signal: "accepted" | "refused" = "accepted"): void => {
    lanes.answer(attempt, signal, at.nowMs);
    lanes.end(attempt);
  };
  /** Lets the domain's destination answer promptly, often enough to be known for it. */
  const makePrompt = (domain: string): void => {
    for (let count = 0; count < 20; count += 1) {
      const attempt = begin(domain);
      at.nowMs += 50;
      end(attempt);
    }
  };
  /** How many first contacts the account may begin now. */
  const contacts = (accountId = ACCOUNT): number => {
    const { perAccount, accountAllowance, firstContacts } = lanes.limits(at.nowMs);
    if (firstContacts === undefined) return accountAllowance[accountId] ?? perAccount;
    return firstContacts.accountAllowance[accountId] ?? firstContacts.perAccount;
  };
  const share = (accountId = ACCOUNT): number => {
    const { perAccount, accountAllowance } = lanes.limits(at.nowMs);
    return accountAllowance[accountId] ?? perAccount;
  };
  return { lanes, at, begin, end, makePrompt, contacts, share };
}

test("an attempt at a prompt destination uses its account's share until it waits", () => {
  const { lanes, at, begin, makePrompt } = setUp();
  makePrompt("a.example");
  const attempts = Array.from({ length: 100 }, () => begin("a.example"));
  assert.equal(lanes.inShares, 100);
  at.nowMs += WAITS_AFTER_MS - 1;
  lanes.limits(at.nowMs);
  assert.equal(lanes.inShares, 100);
  at.nowMs += 1;
  lanes.limits(at.nowMs);
  assert.equal(lanes.inShares, 0);
  for (const attempt of attempts) lanes.end(attempt);
  assert.equal(lanes.inShares, 0);
});

test("a destination that begins to hang is no longer known as prompt", () => {
  const { lanes, at, begin, makePrompt } = setUp();
  makePrompt("a.example");
  for (let count = 0; count < 3; count += 1) begin("a.example");
  at.nowMs += WAITS_AFTER_MS;
  lanes.limits(at.nowMs);
  begin("a.example");
  assert.equal(lanes.inShares, 0, "the next attempt begins in the pool");
});

test("recipient domains whose DNS is slow make no destination late that answers promptly", () => {
  const { lanes, at, begin, end, makePrompt } = setUp();
  makePrompt("a.example");
  for (const lookUpMs of [WAITS_AFTER_MS - 100, WAITS_AFTER_MS + 100, 5000]) {
    const slow = Array.from({ length: 10 }, (_, i) =>
      lanes.begin({ accountId: ACCOUNT, domain: `slow${i}.example` }, at.nowMs),
    );
    at.nowMs += lookUpMs;
    for (const attempt of slow) lanes.route(attempt, "mx.a.example", at.nowMs);
    at.nowMs += 300;
    lanes.limits(at.nowMs);
    for (const attempt of slow) end(attempt);
  }
  begin("a.example");
  assert.equal(lanes.inShares, 1);
});

test("a destination that hangs after slow look-ups is late once its attempts have ended", () => {
  const { lanes, at, begin, end, makePrompt } = setUp();
  makePrompt("a.example");
  const slow = Array.from({ length: 3 }, () => lanes.begin({ accountId: ACCOUNT, domain: "b.example" }, at.nowMs));
  at.nowMs += WAITS_AFTER_MS;
  for (const attempt of slow) lanes.route(attempt, "mx.a.example", at.nowMs);
  at.nowMs += WAITS_AFTER_MS;
  for (const attempt of slow) end(attempt);
  begin("a.example");
  assert.equal(lanes.inShares, 0);
});

test("a destination is known as prompt after some prompt attempts, and not after some that were refused", () => {
  const { lanes, at, begin, end, makePrompt } = setUp();
  for (let count = 0; count < 4; count += 1) end(begin("a.example"));
  end(begin("a.example"));
  const attempt = begin("a.example");
  assert.equal(lanes.inShares, 1);
  end(attempt, "refused");
  const probe = begin("a.example");
  assert.equal(lanes.inShares, 0, "as the probe of a destination that is closed");
  at.nowMs += 10_000;
  end(probe);
  makePrompt("a.example");
  begin("a.example");
  begin(testRouteOf(ACCOUNT));
  assert.equal(lanes.inShares, 1, "a test message goes to another destination than this one");
});

test("first contacts that hang take few places at a time, and some are left as long as they hang", () => {
  const { lanes, at, begin, contacts, share } = setUp();
  const under: LanedAttempt[] = [];
  let [most, lastMs, longestMs] = [0, 0, 0];
  for (let host = 0; at.nowMs < 600_000; at.nowMs += 250) {
    const left = contacts();
    most = Math.max(most, left);
    longestMs = Math.max(longestMs, at.nowMs - lastMs);
    if (left > 0) lastMs = at.nowMs;
    for (let count = 0; count < left; count += 1, host += 1) under.push(begin(`h${host}.example`));
    while ((under[0]?.beganMs ?? at.nowMs) <= at.nowMs - 60_000) {
      const timedOut = under.shift() as LanedAttempt;
      lanes.answer(timedOut, "refused", at.nowMs);
      lanes.end(timedOut);
    }
    assert.equal(share(), 250, "none of them is in the account's share");
  }
  assert.ok(most <= 16 && longestMs <= 1000, `${most} in a quarter of a second, none for ${longestMs} ms`);
  assert.ok(under.length <= 500, `${under.length} at once`);
  assert.ok(contacts("acc_b") >= 1, "another account's first contacts are not limited by these");
});

test("first contacts that answer soon widen the account's window", () => {
  const { at, begin, end, contacts } = setUp();
  for (let round = 0; round < 4; round += 1) {
    const attempts = Array.from({ length: contacts() }, (_, i) => begin(`r${round}-${i}.example`));
    at.nowMs += 300;
    for (const attempt of attempts) end(attempt);
  }
  begin("last.example");
  assert.equal(contacts(), 74, "a quarter of the places, and less the last one");
});

test("an attempt that waits for the reply to its final dot leaves its place, as long as no more than 1,500 do", () => {
  const { lanes, at, begin, end, contacts } = setUp();
  const attempts = Array.from({ length: 2100 }, (_, i) => begin(`slow${i}.example`));
  at.nowMs += 20_000;
  assert.equal(contacts(), 0);
  const freed = attempts.filter((attempt) => lanes.sentDot(attempt));
  assert.deepEqual(freed, attempts.slice(0, 1500));
  assert.equal(contacts(), 0, "600 still hold places");
  const last = attempts.at(-1) ?? assert.fail();
  assert.equal(lanes.sentDot(last), false);
  for (const attempt of freed) end(attempt);
  for (const attempt of attempts.slice(1500)) lanes.sentDot(attempt);
  assert.ok(contacts() > 0);
});

test("an attempt that is answered soon after its final dot widens its account's window as any other", () => {
  const { lanes, at, begin, end, contacts } = setUp();
  begin("held.example");
  at.nowMs += 500;
  const before = contacts();
  for (let count = 0; count < 20; count += 1) {
    const attempt = begin(`new${count}.example`);
    lanes.sentDot(attempt);
    at.nowMs += 10;
    end(attempt);
  }
  assert.equal(contacts(), before + 20);
});

test("fresh mail has places of its own, and a limit for what begins at once", () => {
  const { lanes, at, begin, contacts } = setUp();
  const freshLeft = () => lanes.limits(at.nowMs).firstContacts?.fresh?.perAccount ?? Number.POSITIVE_INFINITY;
  const ofAccount = () => lanes.limits(at.nowMs).firstContacts?.fresh?.accountAllowance[ACCOUNT] ?? freshLeft();
  let host = 0;
  for (; at.nowMs < 600_000; at.nowMs += 250)
    for (let left = contacts(); left > 0; left -= 1, host += 1) begin(`h${host}.example`);
  assert.ok(host > 250, "hosts that hang for ever have nearly all places of the account");
  assert.equal(freshLeft(), 13);
  const beginFresh = () => {
    host += 1;
    return lanes.begin({ accountId: ACCOUNT, domain: `f${host}.example`, isFresh: true }, at.nowMs);
  };
  const under = Array.from({ length: 13 }, beginFresh);
  assert.equal(ofAccount(), 0);
  at.nowMs += 250;
  assert.equal(ofAccount(), 12, "they count for a quarter of a second");
  for (const attempt of under) lanes.end(attempt);
  assert.equal(ofAccount(), 13);
});

test("where many attempts of an account wait, those that begin are brief, unless their destination is prompt", () => {
  const { lanes, at, begin, makePrompt } = setUp();
  makePrompt("a.example");
  const briefAt = (domain: string, accountId?: string) => {
    const attempt = begin(domain, accountId);
    lanes.end(attempt);
    return attempt.isBrief;
  };
  for (let host = 0; host < 63; host += 1) begin(`h${host}.example`);
  assert.equal(briefAt("new.example"), false);
  begin("h63.example");
  at.nowMs += 10_000;
  assert.deepEqual(
    [briefAt("new.example"), briefAt("a.example"), briefAt("new.example", "acc_b")],
    [true, false, false],
  );
});

test("claims learn which mail is no first contact once few of these are left", () => {
  const { lanes, at, begin, makePrompt } = setUp();
  makePrompt("a.example");
  makePrompt("b.example");
  assert.equal(lanes.limits(at.nowMs).firstContacts, undefined);
  assert.equal(lanes.nextChangeMs(), null);
  for (let host = 0; host < 32; host += 1) begin(`h${host}.example`);
  const { firstContacts, limit } = lanes.limits(at.nowMs);
  assert.deepEqual(firstContacts?.prompt, ["a.example", "mx.a.example", "b.example", "mx.b.example"]);
  assert.equal(limit, 500);
  assert.equal(lanes.nextChangeMs(), at.nowMs + 250);
});
