/** A content that turns out to be damaged in the middle of an attempt, with the real spool: what is stored of the job. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JobRunner } from "../../../src/delivery/dispatch/job-runner.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { LimitsOfDestinations } from "../../../src/delivery/routing/connection-limits.ts";
import { SendingSources } from "../../../src/delivery/routing/sending-sources.ts";
import { AttemptLanes } from "../../../src/delivery/throttle/attempt-lanes.ts";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import { SenderPauses } from "../../../src/delivery/throttle/sender-pauses.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { edit, mustBeDamaged, opened, openSpool } from "../../support/damaged-spool.ts";
import { HOUR_MS, newMessage, recipientsAt } from "../../support/messages.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { deferred, delivered } from "./dispatcher-stage.ts";

test("decided recipients are settled; the others wait in quarantine, and are due once the message is repaired", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const createdAtMs = Date.now() - 1000;
  const recipients = recipientsAt("a.example", 3);
  const { id } = newMessage();
  await first.accept(newMessage({ id, createdAtMs, expiresAtMs: createdAtMs + 48 * HOUR_MS, recipients }));
  await first.close();
  const replace = (from: string, to: string): void => {
    const sql = "UPDATE contents SET content = CAST(replace(CAST(content AS TEXT), ?, ?) AS BLOB)";
    edit(dataDir, (db) => db.prepare(sql).run(from, to));
  };
  replace("Hi", "Ho");

  const spool = await opened(t, dataDir);
  await spool.recover(Date.now(), "unknown");
  const claim = () => spool.claim({ nowMs: Date.now() + HOUR_MS, limit: 10, perDomain: 10, allowance: {} });
  const [job] = (await claim()).jobs;
  assert.ok(job);
  const runner = new JobRunner({
    spool,
    preparation: {
      shared: () => null,
      prepare: async () => ({
        route: { type: "hosts", hosts: [] },
        destination: "mx",
        policyFor: () => Promise.reject(),
      }),
      keep: () => {},
    },
    lanes: new AttemptLanes(10),
    traffic: { begin: () => () => {} },
    onSlotFree: () => {},
    attempt: async () => {
      // The second recipient's mark is from an earlier host.
      await spool.mark({ messageId: id, positions: [0, 1], lease: job.lease, atMs: Date.now(), mx: "mx", ip: null });
      await assert.rejects(spool.content(id), (error) => {
        mustBeDamaged(error);
        return true;
      });
      return { outcomes: [delivered, deferred, null], signal: "neutral" };
    },
    throttle: new DestinationThrottle(new CongestionWindows(2)),
    sources: new SendingSources({ live: () => [] }),
    windows: { obstacle: () => null, began: () => {}, ended: () => {} },
    keys: { isHeld: () => false, admit: () => true, putBack: () => {}, report: () => {} },
    limits: new LimitsOfDestinations(new Map()),
    receiverCounts: { add: () => {} },
    suppressions: { of: async () => new Map() },
    senderPauses: new SenderPauses({ clock: systemClock, log: silentLog, onUnauthenticated: () => {} }),
    shutdown: new Shutdown(),
    clock: systemClock,
    log: silentLog,
    random: () => 0,
    policy: { retrySchedule: [1000], unknownPolicy: "hold" },
  });
  await runner.run(job);
  const rows = () =>
    edit(dataDir, (db) =>
      db.prepare("SELECT result, attempts, mark FROM recipient_states ORDER BY position").raw().all(),
    );
  assert.deepEqual(rows(), [
    ["delivered", 1, null],
    ["pending", 1, null],
    ["pending", 0, null],
  ]);
  assert.deepEqual((await claim()).jobs, [], "the message is quarantined");

  replace("Ho", "Hi");
  await spool.retry({ accountId: job.accountId, messageId: id, nowMs: Date.now() });
  const claimed = (await claim()).jobs.flatMap((again) => again.recipients.map(({ position }) => position));
  assert.deepEqual(claimed.sort(), [1, 2]);
});
