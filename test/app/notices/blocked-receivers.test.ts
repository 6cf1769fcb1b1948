/** The notices of receivers that refuse this server's address, and of preflights: when there is one, and what they say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockNotices, worseNotice } from "../../../src/app/notices/blocked-receivers.ts";
import { NoticeBoard, postAll } from "../../../src/app/notices/notice-board.ts";
import type { ClosedDestination, TroubleCause } from "../../../src/message/result/closed-destination.ts";
import type { NodeTraffic } from "../../../src/spool/port/node-traffic.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeNotices } from "../../support/notices.ts";

const MINUTE_MS = 60_000;
const START_MS = 20_000 * 86_400_000;

function stage() {
  const clock = fakeClock(START_MS);
  const store = new FakeNotices();
  const closed = new Map<string, ClosedDestination>();
  const parts = {
    configured: new Map<string, number>(),
    store: { readValue: async () => null, readLiveNodeValues: async () => [] },
    traffic: async () => {
      const destination = { attempts: 0, window: 1, limit: null, connections: 0, usedAtMs: 1 };
      const destinations = [...closed].map(([name, each]) => ({ ...destination, name, closed: each }));
      return [{ destinations }] as NodeTraffic[];
    },
  };
  const close = (name: string, cause: TroubleCause, text: string): void => {
    const last = { cause, text, atMs: clock.now() };
    const times = { sinceMs: clock.now(), probeAtMs: clock.now() + 60 * MINUTE_MS };
    closed.set(name, { ...times, isProbing: false, causes: [cause], last });
  };
  const board = new NoticeBoard({ store, clock });
  const look = async () => postAll(board, await blockNotices(parts, clock.now()));
  return { clock, store, close, look };
}

test("a block of ten minutes is noticed once a day, with its words and where to ask", async () => {
  const { clock, store, close, look } = stage();
  close("*.outlook", "reputation", "550 5.7.1 [192.0.2.10] is on our block list (S3140)");
  close("*.gmail", "rate_limited", "421 4.7.28 unusual rate");
  for (let i = 0; i < 50; i += 1)
    close(`*.r${i}.example`, "reputation", "550 blocked, sign in at https://evil.example");
  await clock.advance(9 * MINUTE_MS);
  await look();
  assert.equal(store.stored.length, 0);
  await clock.advance(MINUTE_MS);
  await look();
  await look();
  assert.equal(store.stored.length, 1);
  const [notice] = store.stored;
  assert.deepEqual(
    [notice?.accountId, notice?.subject, notice?.link],
    [null, "Outlook.com, Hotmail and Live rejects this server's address", "/dashboard/operator/receivers"],
  );
  for (const part of ["(S3140)", "https://olcsupport.office.com/"]) assert.ok(notice?.text.includes(part), part);
  await clock.advance(24 * 60 * MINUTE_MS);
  await look();
  assert.equal(store.stored.length, 2, "the next day");
});

test("what a preflight has found is noticed with its sentences", () => {
  const sentences = ["gmail refuses the session.", "192.0.2.10 has no reverse name."];
  const { kind, accountId, paragraphs } = worseNotice("node-1", sentences, START_MS);
  assert.deepEqual([kind, accountId, paragraphs.slice(1)], ["preflight_worse", null, sentences]);
});
