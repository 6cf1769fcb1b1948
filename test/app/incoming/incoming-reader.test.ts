/** The thread that takes incoming mail apart: what it returns, its limits, and what becomes of the next mail when it ends. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Worker } from "node:worker_threads";
import { type ReaderOptions, ReadingFailed, ThreadedReader } from "../../../src/app/incoming/incoming-reader.ts";
import { MemoryGuard, type MemoryStatus, unlimitedMemory } from "../../../src/lib/memory-guard.ts";
import { isResourceShortage } from "../../../src/lib/resource-shortage.ts";
import { startThread } from "../../../src/lib/thread.ts";
import { forwardedOriginal } from "../../../src/message/compose/forwarded.ts";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { readSenderReport } from "../../../src/message/reports/sender-report.ts";
import * as samples from "../../message/feedback/samples.ts";
import { dmarcXml, gzipped, reportMessage } from "../../message/reports/samples.ts";
import { until } from "../../support/peers.ts";
import { KEY_NAME, loopKey, loopReport, signedMail } from "../../support/signed-report.ts";

const DYING = new URL("../../support/dying-reader-thread.ts", import.meta.url);
const MIB = 1024 * 1024;
const NOT_UNDERSTOOD = { type: "ignored", because: "not_understood" };

function opened(
  t: TestContext,
  { memory = unlimitedMemory, ...options }: ReaderOptions & { memory?: MemoryStatus } = {},
): ThreadedReader {
  const reader = new ThreadedReader(memory, options);
  t.after(() => reader.close());
  return reader;
}

/** A reader whose mails decide how its thread ends, and the threads that it has started. */
function dying(t: TestContext, readMaxMs?: number, memory: MemoryStatus = unlimitedMemory) {
  const threads: { worker: Worker; hasEnded: boolean }[] = [];
  const start: typeof startThread = (_, data, heapMaxMb) => {
    const thread = { worker: startThread(DYING, data, heapMaxMb), hasEnded: false };
    thread.worker.on("exit", () => {
      thread.hasEnded = true;
    });
    threads.push(thread);
    return thread.worker;
  };
  const reader = opened(t, { memory, start, ...(readMaxMs === undefined ? {} : { readMaxMs }) });
  return { threads, reader, read: (wish: string) => reader.feedback(Buffer.from(wish)) };
}

const failure = (pattern: RegExp) => (error: unknown) => error instanceof ReadingFailed && pattern.test(error.message);

describe("the reader of incoming mail", () => {
  it("returns what the mails say, in the order of the calls, and takes no content away", async (t) => {
    const reader = opened(t);
    const report = reportMessage([{ type: "application/gzip", filename: "r.xml.gz", content: gzipped(dmarcXml()) }]);
    const read = await Promise.all([
      reader.feedback(samples.postfix),
      reader.report(report),
      reader.feedback(samples.abuse("abuse")),
      reader.report(samples.outOfOffice),
    ]);
    assert.deepEqual(read, [
      readFeedback(samples.postfix),
      await readSenderReport(report),
      readFeedback(samples.abuse("abuse")),
      { type: "unread", reason: "no_report" },
    ]);
    assert.equal(read[0].type, "bounced");
    assert.equal(read[1]?.type, "dmarc");
  });

  it("converts the original of a message that forwards it", async (t) => {
    const reader = opened(t);
    const eightBit = Buffer.from("Subject: x\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n");
    for (const content of [eightBit, Buffer.from("no header: \0")]) {
      const original = await reader.original(content);
      assert.deepEqual(original, forwardedOriginal(content));
      assert.ok(Buffer.isBuffer(original.attachment.content));
    }
  });

  it("verifies the signatures of feedback loops with the keys that it is given", async (t) => {
    const reader = opened(t);
    const key = loopKey();
    const recipient = "complaints@bounces.shop.example";
    const content = signedMail(loopReport({ to: recipient, recipient: null, original: [] }), { key });
    const request = { content, recipient, receivedAtMs: Date.now() };
    const verify = (record: string) =>
      reader.isSignedByLoop({ ...request, keys: [{ name: KEY_NAME, texts: [record] }] });
    assert.equal(await verify(key.record), true);
    assert.equal(await verify(loopKey().record), false);
    assert.equal((await reader.feedback(content)).type, "complained");
  });

  it("does not blame the mail where a thread cannot load its files, as without descriptors", async (t) => {
    const entries = [new URL("../../support/no-such-thread.ts", import.meta.url), DYING];
    const reader = opened(t, { start: () => startThread(entries.shift() ?? assert.fail(), null) });
    await assert.rejects(
      reader.feedback(Buffer.from("a letter")),
      (error) => !(error instanceof ReadingFailed) && isResourceShortage(error),
    );
    assert.deepEqual(await reader.feedback(Buffer.from("a letter")), NOT_UNDERSTOOD);
  });

  it("ends the thread at the limit of time, and reads the next mail on another", async (t) => {
    const { threads, read } = dying(t, 3000);
    const [first, second] = [read("hang"), read("a letter")];
    await assert.rejects(first, failure(/^not read within 3 s$/));
    assert.deepEqual(await second, NOT_UNDERSTOOD);
    assert.deepEqual([threads.length, threads[0]?.hasEnded, threads[1]?.hasEnded], [2, true, false]);
  });

  it("rejects a mail that ends the thread, and reads the next one on another", async (t) => {
    const { threads, read } = dying(t);
    for (const [wish, reason] of [
      ["throw", /^the thread is broken$/],
      ["exit", /^the thread has ended$/],
    ] as const) {
      const [broken, next] = [read(wish), read("a letter")];
      await assert.rejects(broken, failure(reason));
      assert.deepEqual(await next, NOT_UNDERSTOOD);
    }
    assert.equal(threads.length, 3);
  });

  it("ends the thread at the limit of its heap, and reads the next mail on another", async (t) => {
    const { threads, read } = dying(t, 60_000);
    const [first, second] = [read("grow"), read("a letter")];
    await assert.rejects(first, failure(/memory limit/));
    assert.deepEqual(await second, NOT_UNDERSTOOD);
    assert.deepEqual([threads.length, threads[0]?.hasEnded], [2, true]);
  });

  it("replaces a thread that ends between two mails, which both are read", async (t) => {
    const { threads, read } = dying(t);
    for (const wish of ["throw", "exit"]) {
      assert.deepEqual(await read("a letter"), NOT_UNDERSTOOD);
      threads.at(-1)?.worker.postMessage({ content: Buffer.from(wish) });
      await until("the end of the thread", () => threads.at(-1)?.hasEnded ?? false);
      assert.deepEqual(await read("a letter"), NOT_UNDERSTOOD);
    }
    assert.equal(threads.length, 3);
  });

  it("closes after the mail under way, and ends its thread", async (t) => {
    const { threads, reader, read } = dying(t);
    const [first, second] = [read("a letter"), read("another")];
    await reader.close();
    assert.deepEqual(await first, NOT_UNDERSTOOD);
    assert.deepEqual(await second, NOT_UNDERSTOOD);
    assert.deepEqual(
      threads.map(({ hasEnded }) => hasEnded),
      [true],
    );
    await reader.close();
  });
});

describe("the memory of the reader of incoming mail", () => {
  const guard = () => {
    const state = { isLow: false, threads: [] as (() => number)[], releases: [] as (() => void)[] };
    const memory: MemoryStatus = {
      get isLow() {
        return state.isLow;
      },
      isExhausted: false,
      onLow: (release) => void state.releases.push(release),
      addThread: (liveBytes) => void state.threads.push(liveBytes),
    };
    const held = (): number => state.threads.reduce((sum, liveBytes) => sum + liveBytes(), 0);
    return { state, memory, held };
  };

  it("is counted while there is a thread, which ends while memory is low", async (t) => {
    const { state, memory, held } = guard();
    const reader = opened(t, { memory });
    assert.equal(held(), 0);
    await reader.feedback(samples.postfix);
    assert.equal(held(), 128 * MIB);
    for (const release of state.releases) release();
    await until("the end of the thread", () => held() === 0);
    assert.equal((await reader.feedback(samples.postfix)).type, "bounced");
  });

  it("counts in the guard of the process: with the thread, memory may be low that is enough without", async (t) => {
    const memory = new MemoryGuard({ readUsage: () => ({ resident: 500 * MIB, live: 40 * MIB }), collect: () => {} });
    const { read } = dying(t, 3000, memory);
    assert.equal(memory.isLow, false);
    const hanging = assert.rejects(read("hang"), ReadingFailed);
    await until("the guard's next reading", () => memory.isLow);
    await hanging;
    await until("the guard's next reading", () => !memory.isLow);
  });

  it("is not enough for a long mail while memory is low", (t) => {
    const { state, memory } = guard();
    const reader = opened(t, { memory });
    const sizes = () => [64 * 1024, 64 * 1024 + 1].map((size) => reader.canRead(size));
    assert.deepEqual(sizes(), [true, true]);
    state.isLow = true;
    assert.deepEqual(sizes(), [true, false]);
  });
});
