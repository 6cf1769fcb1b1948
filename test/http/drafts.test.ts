/** Long requests are parsed on a thread, one at a time and fairly between accounts, with the same result as short ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Drafts, type ReadDraft, type ReadOptions, SHORT_BYTES_MAX } from "../../src/http/drafts.ts";
import { Problem } from "../../src/http/response/problems.ts";
import { startThread } from "../../src/lib/thread.ts";
import { type Draft, parseDraft } from "../../src/message/compose/draft.ts";

const OPTIONS: ReadOptions = {
  format: "postrider",
  recipientsMax: 50,
  token: "token",
  dateMs: 0,
  boundary: "boundary",
  needsHash: true,
};
const MB = 1024 * 1024;

/** Returns a body in an ArrayBuffer of its own, like readBody for long bodies. */
function bodyOf(parts: Record<string, unknown>): Buffer {
  const json = JSON.stringify({ from: "a@sender.example", to: "b@b.example", subject: "s", ...parts });
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  return bytes;
}

const long = (parts: Record<string, unknown> = {}): Buffer =>
  bodyOf({ text: "A line.\n".repeat(SHORT_BYTES_MAX / 4), ...parts });

/** Returns the draft of a request with one message. */
async function draftOf(read: Promise<ReadDraft[]>): Promise<Draft> {
  const [draft, ...others] = await read;
  assert.ok(draft !== undefined && !(draft instanceof Problem) && others.length === 0, String(draft));
  return draft;
}

async function problemOf(read: Promise<ReadDraft[]>): Promise<Problem> {
  const error = await read.then(
    ([draft]) => draft,
    (error) => error,
  );
  assert.ok(error instanceof Problem, String(error));
  return error;
}

test("a long request has the same draft as without a thread", async () => {
  const drafts = new Drafts({ contentBytesMax: 10 * MB });
  const parts = {
    cc: ["Ann <ann@b.example>"],
    bcc: "c@b.example",
    html: "<p>é</p>".repeat(20_000),
    attachments: [{ filename: "ü.bin", content: Buffer.alloc(100_000, 7).toString("base64") }],
    tags: ["invoice"],
    metadata: { order: "1042" },
    expires_in: "2d",
  };
  const expected = parseDraft(long(parts), OPTIONS);
  assert.ok(expected.type === "valid");
  const draft = await draftOf(drafts.read("acc", long(parts), OPTIONS));
  const { from, to, cc, bcc, subject, tags, metadata, expiresInMs } = expected.draft.summary;
  assert.deepEqual(draft.summary, { from, to, cc, bcc, subject, tags, metadata, expiresInMs });
  assert.equal(draft.messageId, expected.draft.messageId);
  assert.equal(draft.payloadHash(), expected.draft.payloadHash());
  assert.deepEqual(draft.content(), expected.draft.content());
});

test("the hash of a long request is computed only where it is needed", async () => {
  const drafts = new Drafts({ contentBytesMax: 10 * MB });
  const draft = await draftOf(drafts.read("acc", long(), { ...OPTIONS, needsHash: false }));
  assert.throws(() => draft.payloadHash(), /did not compute/);
});

test("a short message of a long request is returned in memory of its own", async () => {
  const drafts = new Drafts({ contentBytesMax: MB });
  const body = Buffer.concat([bodyOf({ text: "Hello" }), Buffer.alloc(SHORT_BYTES_MAX, " ")]);
  const expected = parseDraft(body, OPTIONS);
  assert.ok(expected.type === "valid");
  const { bytes: content } = (await draftOf(drafts.read("acc", body, OPTIONS))).content();
  assert.ok(content.equals(expected.draft.content().bytes));
  assert.equal(content.buffer.byteLength, content.length);
});

test("a long request has the same errors as without a thread", async () => {
  const drafts = new Drafts({ contentBytesMax: MB });
  const broken = long();
  broken.writeUInt8(0x7d, broken.length - 2);
  assert.equal((await problemOf(drafts.read("acc", broken, OPTIONS))).code, "invalid_json");
  const { code, extras } = await problemOf(drafts.read("acc", long({ subject: 7, colour: "red" }), OPTIONS));
  assert.equal(code, "invalid_request");
  assert.deepEqual(extras.errors?.map(({ field }) => field).sort(), ["colour", "subject"]);
  assert.equal(
    (await problemOf(drafts.read("acc", long({ text: "é".repeat(MB / 2) }), OPTIONS))).code,
    "body_too_large",
  );
});

test("the event loop continues while a body of 10 MB is parsed", async () => {
  const drafts = new Drafts({ contentBytesMax: 20 * MB });
  const spaced = `${"QUJD ".repeat(64)}\n`.repeat(25_000);
  for (const parts of [{ text: "x".repeat(10 * MB) }, { attachments: [{ filename: "a.bin", content: spaced }] }]) {
    let turns = 0;
    let isRead = false;
    const read = drafts.read("acc", long(parts), OPTIONS).finally(() => (isRead = true));
    const look = (): void => {
      turns += 1;
      if (!isRead) setImmediate(look);
    };
    look();
    await read;
    assert.ok(turns > 100, `${turns} turns`);
  }
});

test("an account with many long requests does not delay those of another", async () => {
  const drafts = new Drafts({ contentBytesMax: 10 * MB });
  const order: string[] = [];
  const read = (account: string, name: string): Promise<unknown> =>
    drafts.read(account, long(), OPTIONS).then(() => order.push(name));
  await Promise.all([...["a1", "a2", "a3", "a4"].map((name) => read("a", name)), read("b", "b1")]);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3", "a4"]);
});

test("a body of some MB waits for those before it, and shorter ones do not overtake it", async () => {
  const drafts = new Drafts({ contentBytesMax: 10 * MB, shortBytesMax: 1000 });
  const order: string[] = [];
  const read = (account: string, name: string, size: number): Promise<unknown> =>
    drafts.read(account, bodyOf({ text: "A line.\n".repeat(size / 8) }), OPTIONS).then(() => order.push(name));
  await Promise.all([
    read("a", "a1", 10_000),
    read("b", "b1", 4 * MB),
    ...["c1", "c2", "c3"].map((name) => read("c", name, 10_000)),
    read("a", "a2", 10_000),
  ]);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "c2", "c3"]);
});

test("requests of which the thread already has the bodies are answered before an idle thread is stopped", async () => {
  const drafts = new Drafts({ contentBytesMax: MB, shortBytesMax: 1000 });
  const reads = Array.from({ length: 20 }, () => drafts.read("acc", bodyOf({ text: "x".repeat(20_000) }), OPTIONS));
  drafts.stopIfIdle();
  const messageIds = (await Promise.all(reads.map(draftOf))).map(({ messageId }) => messageId);
  assert.equal(messageIds.length, 20);
});

test("a request with several messages has a draft of each, or its error, with and without the thread", async () => {
  const drafts = new Drafts({ contentBytesMax: MB / 2 });
  const message = (text: string, parts = {}) => ({
    from: "a@b.example",
    to: "b@b.example",
    subject: "s",
    text,
    ...parts,
  });
  const batch = (length: number, others: unknown[] = []): Buffer => {
    const messages = [message("x".repeat(length)), message("short"), message("invalid", { to: 7 }), ...others];
    const json = Buffer.from(JSON.stringify(messages));
    const bytes = Buffer.allocUnsafeSlow(json.length);
    json.copy(bytes);
    return bytes;
  };
  const read = (body: Buffer) => drafts.read("acc", body, { ...OPTIONS, format: "resend_batch" });
  for (const length of [100, SHORT_BYTES_MAX]) {
    const [first, second, third, ...others] = await read(batch(length));
    assert.ok(first && !(first instanceof Problem) && second && !(second instanceof Problem));
    assert.equal(others.length, 0);
    assert.ok(first.content().bytes.length > length);
    assert.ok(second.content().bytes.includes("\r\n\r\nshort"));
    assert.notEqual(first.messageId, second.messageId);
    assert.notEqual(first.payloadHash(), second.payloadHash());
    assert.ok(third instanceof Problem);
    assert.deepEqual(
      third.extras.errors?.map(({ field }) => field),
      ["to"],
    );
  }
  const [, , , tooLarge] = await read(batch(SHORT_BYTES_MAX, [message("x".repeat(MB / 2))]));
  assert.equal(tooLarge instanceof Problem && tooLarge.code, "body_too_large");
  assert.equal((await problemOf(read(Buffer.from("{}")))).code, "invalid_request");
  assert.equal((await problemOf(read(Buffer.alloc(2 * SHORT_BYTES_MAX, "x")))).code, "invalid_json");
});

test("a thread that cannot be started rejects its own request, and none that follow", async () => {
  let failures = 2;
  const drafts = new Drafts({
    contentBytesMax: 10 * MB,
    start(...parts) {
      if (failures === 0) return startThread(...parts);
      failures -= 1;
      throw Object.assign(new Error("no descriptors"), { code: "ERR_WORKER_INIT_FAILED" });
    },
  });
  const rejected = [drafts.read("acc_a", long(), OPTIONS), drafts.read("acc_b", long(), OPTIONS)];
  for (const read of rejected) await assert.rejects(read, { code: "ERR_WORKER_INIT_FAILED" });
  await draftOf(drafts.read("acc_a", long({ subject: "later" }), OPTIONS));
  drafts.stopIfIdle();
});
