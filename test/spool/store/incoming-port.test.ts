import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runner } from "../../../src/spool/engine/operations.ts";
import { incomingPort } from "../../../src/spool/store/incoming-port.ts";

/** Returns the port over a spool whose queue has `mails`, and the names of the reports that were run. */
function portOver(isEmpty: boolean, mails: unknown[]) {
  const reports: string[] = [];
  const runner: Runner = {
    read: async () => isEmpty,
    write: () => assert.fail("nothing is written"),
    report: async (name) => {
      reports.push(name);
      return mails;
    },
  };
  return { port: incomingPort(runner, () => {}), reports };
}

test("no report runs while no mail waits: it would start a thread", async () => {
  const { port, reports } = portOver(true, []);
  assert.deepEqual(await port.incomingQueue(0), []);
  assert.deepEqual(reports, []);
});

test("the mail that waits is listed by a report", async () => {
  const mails = [{ id: "inc_1" }];
  const { port, reports } = portOver(false, mails);
  assert.deepEqual(await port.incomingQueue(0), mails);
  assert.deepEqual(reports, ["incomingQueue"]);
});
