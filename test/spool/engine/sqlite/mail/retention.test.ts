/** Retention to the millisecond, and in bounded steps. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { settleMessage } from "../../../../support/attempts.ts";
import { NOW_MS, opened } from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("deletes what became final before the limit, and nothing that did so at the limit", async (t) => {
  const spool = await opened(t, tempDir(t));
  for (const settledAtMs of [NOW_MS, NOW_MS + 100]) {
    const message = newMessage({ createdAtMs: NOW_MS });
    await spool.accept(message);
    await settleMessage(spool, message.id, settledAtMs, [settlement(0, "delivered")]);
  }
  const step = { nowMs: NOW_MS + 200, contentsBeforeMs: NOW_MS + 100, resultsBeforeMs: 0, limit: 100 };
  assert.deepEqual(await spool.applyRetention(step), { contents: 1, messages: 0, isMore: false });
  const later = { ...step, contentsBeforeMs: NOW_MS + 101, resultsBeforeMs: NOW_MS + 101 };
  assert.deepEqual(await spool.applyRetention(later), { contents: 1, messages: 2, isMore: false });
});

it("works in bounded steps, and the next pass starts at the first message again", async (t) => {
  const spool = await opened(t, tempDir(t));
  const messages = [0, 1, 2].map(() => newMessage({ createdAtMs: NOW_MS }));
  for (const message of messages) await spool.accept(message);
  const [first, second] = messages;
  await settleMessage(spool, second?.id ?? "", NOW_MS, [settlement(0, "delivered")]);
  const step = { nowMs: NOW_MS + 200, contentsBeforeMs: NOW_MS + 100, resultsBeforeMs: 0, limit: 1 };
  const steps = [await spool.applyRetention(step), await spool.applyRetention(step), await spool.applyRetention(step)];
  assert.deepEqual(
    steps.map(({ contents, isMore }) => [contents, isMore]),
    [
      [0, true],
      [1, true],
      [0, true],
    ],
  );
  assert.equal((await spool.applyRetention(step)).isMore, false);
  await settleMessage(spool, first?.id ?? "", NOW_MS, [settlement(0, "delivered")]);
  assert.equal((await spool.applyRetention(step)).contents, 1);
});
