import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentWork } from "../../../../../src/spool/engine/postgres/cluster/recent-work.ts";

test("the newest messages are known, without those that were reported as lost", () => {
  const work = new RecentWork(3);
  for (const seq of [1, 2, 3, 4]) work.accepted(seq, `msg_${seq}`);
  const known = (): string[] => work.messages.map(({ id, seq }) => `${id} ${seq}`).toSorted();
  assert.deepEqual(known(), ["msg_2 2", "msg_3 3", "msg_4 4"]);
  work.forget(["msg_3", "msg_1"]);
  assert.deepEqual(known(), ["msg_2 2", "msg_4 4"]);
  work.accepted(5, "msg_5");
  work.accepted(6, "msg_6");
  assert.deepEqual(known(), ["msg_4 4", "msg_5 5", "msg_6 6"]);
});
