/** The watch over what API keys send: counts, holds and releases, of one node and of several. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyWatch } from "../../../src/delivery/dispatch/key-watch.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { type KeyHistory, SPAN_MS, SPANS_A_DAY } from "../../../src/message/key-fuse.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { FuseChange, KeyFuse, KeySpan } from "../../../src/spool/port/key-fuses.ts";
import type { Settlement } from "../../../src/spool/port/mail.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const TODAY = 20_000 * SPANS_A_DAY;
const KNOWN: KeyHistory = {
  firstSpan: TODAY - 20 * SPANS_A_DAY,
  peakSpan: 5,
  peakDay: 50,
  recipients: 900,
  unknown: 0,
};

function setUp() {
  const clock = fakeClock(TODAY * SPAN_MS + 1000);
  const spans = new Map<string, KeySpan>();
  const fuses = new Map<string, KeyFuse>();
  const released: string[] = [];
  const store = {
    history: KNOWN,
    fails: false,
    rejects: false,
    async addKeyUse(added: readonly KeySpan[], now: number) {
      if (store.fails) throw new SpoolUnavailable("no answer");
      for (const each of added) {
        const name = `${each.keyId} ${each.span}`;
        const before = spans.get(name) ?? { ...each, recipients: 0, unknown: 0 };
        const recipients = before.recipients + each.recipients;
        spans.set(name, { ...before, recipients, unknown: before.unknown + each.unknown });
      }
      const of = (keyId: string) => [...spans.values()].filter((each) => each.keyId === keyId && each.span >= TODAY);
      const sum = (list: KeySpan[], field: "recipients" | "unknown") => list.reduce((n, each) => n + each[field], 0);
      return [...new Set(added.map(({ keyId }) => keyId))].map((keyId) => ({
        keyId,
        span: sum(
          of(keyId).filter(({ span }) => span === now),
          "recipients",
        ),
        day: sum(of(keyId), "recipients"),
        unknown: sum(of(keyId), "unknown"),
      }));
    },
    keyHistory: async () => store.history,
    keyFuses: async () => [...fuses.values()],
    async holdKey({ keyId, accountId, atMs, cause }: FuseChange) {
      if (store.fails) throw new SpoolUnavailable("no answer");
      if (fuses.get(keyId)?.held) return false;
      const setting = { limit: null, isOff: false, releasedAtMs: null, warned: null };
      fuses.set(keyId, { keyId, accountId, ...setting, held: { sinceMs: atMs, cause } });
      return true;
    },
    async warnKey() {},
  };
  const onReleased = async ({ keyId }: { keyId: string }) => {
    released.push(keyId);
    if (store.rejects) throw new SpoolUnavailable("no answer");
  };
  const begin = async (): Promise<KeyWatch> => {
    const watch = new KeyWatch({
      spool: store,
      clock,
      log: silentLog,
      onReleased,
    });
    await watch.start();
    return watch;
  };
  return { clock, store, spans, fuses, released, begin };
}

const recipient = (position: number, attempts = 0) => ({
  position,
  email: `u${position}@a.example`,
  attempts,
  reason: null,
  category: null,
  smtp: null,
});
const job = ({ keyId = "key_1", recipients = 1, attempts = 0, domain = "a.example" } = {}) => ({
  keyId,
  accountId: "acc_1",
  domain,
  recipients: Array.from({ length: recipients }, (_, i) => recipient(i, attempts)),
});

const settled = (count: number) =>
  Array.from({ length: count }, (_, position) => {
    const settlement = { position, result: "failed", reason: null, category: "bad_address", nextAttemptAtMs: null };
    return { ...settlement, smtp: null, outcome: "failed", tries: [] } as Settlement;
  });

/** Begins attempts until one is refused, or so many. */
function send(watch: KeyWatch, count: number, of = job()): number {
  let sent = 0;
  while (sent < count && watch.admit(of)) sent += 1;
  return sent;
}

test("a known key is held at its limit; its mail is admitted again once it is released", async () => {
  const { clock, fuses, released, begin } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  assert.equal(send(watch, 1000), 199);
  assert.equal(watch.isHeld(job()), true);
  assert.equal(watch.isHeld(job({ keyId: "key_2" })), false);
  assert.equal(send(watch, 5, job({ keyId: "key_2" })), 5);
  await quiet();
  assert.equal(fuses.get("key_1")?.held?.cause?.limit, 200);
  await clock.advance(10_000);
  assert.equal(watch.isHeld(job()), true);
  fuses.set("key_1", { ...(fuses.get("key_1") as KeyFuse), held: null, releasedAtMs: clock.now() });
  await clock.advance(2000);
  assert.deepEqual([watch.isHeld(job()), released], [false, ["key_1"]]);
  assert.equal(send(watch, 500), 500, "not again within a day");
});

test("nodes know together what a key sends, and which are held", async () => {
  const { clock, begin, spans } = setUp();
  const [a, b] = [await begin(), await begin()];
  send(a, 1);
  send(b, 1);
  await quiet();
  assert.deepEqual([send(a, 120), send(b, 60)], [120, 60]);
  await clock.advance(2000);
  // Each has added its own, and one has read before the other did.
  await clock.advance(2000);
  send(a, 1);
  send(b, 1);
  await clock.advance(2000);
  assert.ok(send(a, 100) <= 17);
  await clock.advance(2000);
  assert.equal(b.isHeld(job()), true);
  assert.ok([...spans.values()].reduce((sum, { recipients }) => sum + recipients, 0) <= 201);
});

test("a span ends after ten minutes, and the counts go on in the next; first attempts alone count", async () => {
  const { clock, begin, spans } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  assert.equal(send(watch, 150), 150);
  assert.equal(send(watch, 500, job({ attempts: 1 })), 500);
  await clock.advance(SPAN_MS);
  assert.equal(send(watch, 150), 150);
  await clock.advance(4000);
  assert.deepEqual(
    [...spans.values()].map(({ span, recipients }) => [span - TODAY, recipients]),
    [
      [0, 151],
      [1, 150],
    ],
  );
});

test("unknown mailboxes hold a key, from the twenty-first on", async () => {
  const { begin } = setUp();
  const watch = await begin();
  send(watch, 1, job({ recipients: 60 }));
  await quiet();
  watch.report(job(), "*.gmail", settled(20));
  assert.equal(watch.isHeld(job()), false);
  watch.report(job(), "*.gmail", settled(1));
  assert.equal(watch.isHeld(job()), true);
});

test("messages of the service and test messages are neither counted nor held", async () => {
  const { begin, store } = setUp();
  store.history = { ...KNOWN, peakSpan: 0 };
  const watch = await begin();
  const notices = job({ keyId: "notice" });
  assert.equal(send(watch, 900, notices), 900);
  assert.equal(send(watch, 900, job({ domain: testRouteOf("acc_1") })), 900);
  send(watch, 1);
  await quiet();
  send(watch, 900);
  assert.equal(watch.isHeld(job()), true);
  assert.equal(watch.isHeld(job({ domain: testRouteOf("acc_1") })), false);
});

test("while the store cannot be asked, all that was sent goes on to count", async () => {
  const { clock, begin, store, spans } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  store.fails = true;
  for (let i = 0; i < 4; i += 1) {
    assert.equal(send(watch, 40), 40);
    await clock.advance(2000);
  }
  assert.equal(send(watch, 1000), 39);
  store.fails = false;
  await clock.advance(4000);
  assert.equal(spans.get(`key_1 ${TODAY}`)?.recipients, 200);
});

test("a store that cannot be asked loses no count and no hold", async () => {
  const { clock, begin, store, spans, fuses } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  store.fails = true;
  assert.equal(send(watch, 1000), 199);
  await clock.advance(6000);
  assert.deepEqual([spans.size, fuses.size, watch.isHeld(job())], [0, 0, true]);
  store.fails = false;
  await clock.advance(4000);
  assert.deepEqual([spans.get(`key_1 ${TODAY}`)?.recipients, fuses.has("key_1")], [200, true]);
});

test("of unknown mailboxes at a receiver without a profile, five a day count", async () => {
  const { begin, clock } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  for (let i = 0; i < 30; i += 1) watch.report(job(), "*.attacker.example", settled(1));
  assert.equal(watch.isHeld(job()), false);
  watch.report(job(), "*.gmail", settled(15));
  assert.equal(watch.isHeld(job()), false);
  await clock.advance(4000);
  watch.report(job(), "*.attacker.example", settled(1));
  assert.equal(watch.isHeld(job()), false);
  watch.report(job(), "*.gmail", settled(1));
  assert.equal(watch.isHeld(job()), true);
});

test("a count that is put back was none", async () => {
  const { begin } = setUp();
  const watch = await begin();
  send(watch, 1);
  await quiet();
  for (let i = 0; i < 500; i += 1) {
    assert.equal(watch.admit(job()), true);
    watch.putBack(job());
  }
  assert.equal(send(watch, 1000), 199);
});

test("keys that are idle for a day are forgotten, and later ones are watched", async () => {
  const { begin, clock } = setUp();
  const watch = await begin();
  for (let i = 0; i < 10_000; i += 1) send(watch, 1, job({ keyId: `key_old${i}` }));
  await clock.advance(4000);
  send(watch, 1, job({ keyId: "key_new" }));
  await quiet();
  assert.equal(send(watch, 500, job({ keyId: "key_new" })), 199);
});

test("counts that are being added when a span ends count once", async () => {
  const { begin, clock, store, spans } = setUp();
  const watch = await begin();
  assert.equal(send(watch, 101), 101);
  const { addKeyUse } = store;
  let answer = (): void => {};
  store.addKeyUse = async (added, now) => {
    store.addKeyUse = addKeyUse;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return addKeyUse(added, now);
  };
  await clock.advance(2000);
  clock.step(SPAN_MS);
  send(watch, 1);
  answer();
  await clock.advance(6000);
  assert.equal(
    [...spans.values()].reduce((sum, { recipients }) => sum + recipients, 0),
    102,
  );
});

test("a release is acted on after a restart, again a little later, and until that succeeds", async () => {
  const { begin, clock, fuses, store, released } = setUp();
  const setting = { limit: null, isOff: false, warned: null, held: null };
  fuses.set("key_1", { keyId: "key_1", accountId: "acc_1", ...setting, releasedAtMs: clock.now() - 1000 });
  store.rejects = true;
  await begin();
  await quiet();
  assert.equal(released.length, 1);
  store.rejects = false;
  await clock.advance(4000);
  assert.equal(released.length, 2);
  await clock.advance(30_000);
  assert.equal(released.length, 3);
  await clock.advance(600_000);
  assert.equal(released.length, 3);
});
