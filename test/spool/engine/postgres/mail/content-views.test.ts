/** Contents that are read for pages: short ones at once, long ones on a thread, within limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { ContentViews, SHORT_BYTES_MAX } from "../../../../../src/spool/engine/postgres/mail/content-views.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { TooManyReports } from "../../../../../src/spool/port/reports.ts";
import { composedMessage } from "../../../../support/composed-message.ts";

const messageOf = (sizeBytes: number): Buffer =>
  composedMessage({
    text: "Hi",
    html: "<b>Hi</b>",
    attachments: [{ filename: "a.bin", content: Buffer.alloc(sizeBytes, "x").toString("base64") }],
  });

test("a short content is read without a thread, and a long one on it, with the same result", async (t) => {
  const views = new ContentViews();
  t.after(() => views.close());
  const noThread = new ContentViews(() => assert.fail("a thread starts"));
  for (const [content, reader] of [
    [messageOf(1000), noThread],
    [messageOf(2 * SHORT_BYTES_MAX), views],
  ] as const) {
    const [view, html, file, none] = await Promise.all([
      reader.view("viewOf", content),
      reader.view("htmlOf", content),
      reader.view("attachmentOf", content, 2),
      reader.view("attachmentOf", content, 0),
    ]);
    assert.equal(view.sizeBytes, content.length);
    assert.equal(html?.toString().trim(), "<b>Hi</b>");
    assert.ok(Buffer.isBuffer(file?.bytes) && file.filename === "a.bin");
    assert.equal(file.bytes.length, view.attachments.files[0]?.sizeBytes);
    assert.equal(none, null);
  }
});

/** A thread that never answers. */
class SilentThread {
  readonly #listeners = new Map<string, (value: never) => void>();
  unref(): void {}
  postMessage(): void {}
  on(event: string, listener: (value: never) => void): this {
    this.#listeners.set(event, listener);
    return this;
  }
  fail(error: Error): void {
    this.#listeners.get("error")?.(error as never);
  }
  async terminate(): Promise<number> {
    return 0;
  }
}

test("contents that wait have a limit, and fail with the thread; the next one starts another", async () => {
  const started: SilentThread[] = [];
  const views = new ContentViews(() => {
    started.push(new SilentThread());
    return started.at(-1) as unknown as Worker;
  });
  const content = Buffer.alloc(40 * 1024 * 1024);
  const first = views.view("bodiesOf", content);
  await assert.rejects(views.view("bodiesOf", content), TooManyReports);
  started[0]?.fail(new Error("out of memory"));
  await assert.rejects(first, (error) => error instanceof SpoolUnavailable && /out of memory/.test(error.message));
  const second = views.view("bodiesOf", content);
  await views.close();
  await assert.rejects(second, SpoolUnavailable);
  assert.equal(started.length, 2);
});
