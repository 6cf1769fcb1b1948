import assert from "node:assert/strict";
import { test } from "node:test";
import { logLostWork } from "../../../../../src/spool/engine/postgres/cluster/failover-log.ts";

function loggedOf(messageIds: string[]): { messageIds: string[]; messages: number }[] {
  const lines: { messageIds: string[]; messages: number }[] = [];
  const error = (line: unknown): void => void lines.push(line as (typeof lines)[number]);
  logLostWork({ error }, { recipients: 1, messageIds });
  return lines;
}

test("all lost messages are named, 100 in a line", () => {
  const ids = Array.from({ length: 250 }, (_, i) => `msg_${i}`);
  const lines = loggedOf(ids);
  assert.deepEqual(
    lines.map((line) => [line.messageIds.length, line.messages]),
    [
      [100, 250],
      [100, 250],
      [50, 250],
    ],
  );
  assert.deepEqual(
    lines.flatMap((line) => line.messageIds),
    ids,
  );
});

test("lost results alone are one line", () => assert.deepEqual(loggedOf([])[0]?.messageIds, []));
