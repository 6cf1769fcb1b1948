/** The thread that takes incoming mail apart: what it returns, its limits, and what becomes of the next mail when it ends. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Worker } from "node:worker_threads";
import { type ReaderOptions, ReadingFailed, ThreadedReader } from "../../src/app/incoming-reader.ts";
import { startThread } from "../../src/lib/thread.ts";
import { readFeedback } from "../../src/message/feedback/feedback.ts";
import { readSenderReport } from "../../src/message/reports/sender-report.ts";
import * as samples from "../message/feedback/samples.ts";
import { dmarcXml, gzipped, reportMessage } from "../message/reports/samples.ts";
import { until } from "../support/peers.ts";

const DYING = new URL("../support/dying-reader-thread.ts", import.meta.url);
const NOT_UNDERSTOOD = { type: "ignored", because: "not_understood" };

function opened(t: TestContext, options: ReaderOptions = {}): ThreadedReader {
  const reader = new ThreadedReader(options);
  t.after(() => reader.close());
  return reader;
}

/** A reader whose mails decide how its thread ends, and the threads that it has started. */
function dying(t: TestContext, readMaxMs?: number) {
  const threads: { worker: Worker; hasEnded: boolean }[] = [];
  const start = (): Worker => {
    const thread = { worker: startThread(DYING, null), hasEnded: false };
    thread.worker.on("exit", () => {
      thread.hasEnded = true;
    });
    threads.push(thread);
    return thread.worker;
  };
  const reader = opened(t, { start, ...(readMaxMs === undefined ? {} : { readMaxMs }) });
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
      null,
    ]);
    assert.equal(read[0].type, "bounced");
    assert.equal(read[1]?.type, "dmarc");
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
