/** The messages of one request: rejected together where that is known before anything is stored, and otherwise each by itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptBackpressure } from "../../../src/app/send/accept-backpressure.ts";
import { AcceptBatch, type BatchRequest, type BatchResult } from "../../../src/app/send/accept-batch.ts";
import { AcceptMessage, type AcceptResult } from "../../../src/app/send/accept-message.ts";
import { SendRate } from "../../../src/app/send/send-rate.ts";
import { UnsubscribeLinks } from "../../../src/app/send/unsubscribe-links.ts";
import { type Draft, parseDraft } from "../../../src/message/compose/draft.ts";
import { FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Acceptance, NewMessage } from "../../../src/spool/port/mail.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { localRates } from "../../support/local-rates.ts";

const KEY = { id: "key_1", accountId: "acc_1" };
const BYTES_MAX = 10_000;

function draft(subject: string, { from = "shop@shop.example", text = "Hello" } = {}): Draft {
  const options = { recipientsMax: 10, token: "token", dateMs: 0, boundary: "boundary" };
  const body = { from, to: "ann@one.example", subject, text };
  const read = parseDraft(Buffer.from(JSON.stringify(body)), options);
  if (read.type === "invalid") throw new Error(JSON.stringify(read.error));
  return read.draft;
}

const three = (): Draft[] => ["one", "two", "three"].map((subject) => draft(subject));

interface Scene {
  /** What the spool does instead of storing a message. */
  accept?: (message: NewMessage) => Promise<Acceptance> | null;
  burst?: number;
  closed?: string;
}

function scene({ accept = () => null, burst = 10, closed }: Scene = {}) {
  const clock = fakeClock();
  const stored: NewMessage[] = [];
  const uses = new Map<string, { id: string; payloadHash: string }>();
  const rate = new SendRate({ perSecond: 1, burst }, localRates(clock));
  const acceptMessage = new AcceptMessage({
    spool: {
      async accept(message) {
        const instead = accept(message);
        if (instead !== null) return instead;
        stored.push(message);
        if (message.idempotency !== null) uses.set(message.idempotency.key, { ...message.idempotency, id: message.id });
        return { type: "accepted", id: message.id };
      },
      idempotencyRecord: async (_accountId, key) => uses.get(key) ?? null,
    },
    accounts: { hasStatusPages: async () => true },
    registry: {
      domainNamed: async (_accountId, name) =>
        name === "shop.example" ? ({ id: "dom_1", verified: true } as Domain) : null,
    },
    signAhead: { prepare: () => {} },
    unsubscribe: new UnsubscribeLinks({
      key: Buffer.alloc(32),
      publicUrl: () => "https://mail.shop.example",
      isPublicUrlSet: true,
    }),
    statusLinks: { fault: () => null },
    limits: { messageBytesMax: BYTES_MAX, quotaDaily: 0, suppressAfter: 0, maxAgeMs: 1000 },
    unavailableReason: () => closed ?? null,
    backpressure: new AcceptBackpressure(clock),
    rate,
    clock,
  });
  const batches = new AcceptBatch({ acceptMessage, rate, messageBytesMax: BYTES_MAX });
  const submit = (parts: Partial<BatchRequest> = {}) =>
    batches.accept({
      accountId: "acc_1",
      keyId: "key_1",
      isTest: false,
      access: FULL_ACCESS,
      receivedAtMs: 0,
      drafts: three(),
      idempotencyKey: null,
      isStrict: true,
      ...parts,
    });
  const subjects = () => stored.map(({ subject }) => subject);
  const tokens = () => rate.state(KEY)?.tokens;
  return { submit, stored, subjects, tokens };
}

const nameOf = (result: AcceptResult | null): string | null =>
  result?.type === "rejected" ? result.code : (result?.type ?? null);

function names(result: BatchResult): (string | null)[] {
  if (result.type === "rejected") return ["rejected", String(result.index), result.rejection.code];
  return result.results.map(nameOf);
}

test("all messages are stored in their order, and each consumes a token", async () => {
  const { submit, stored, subjects, tokens } = scene();
  const result = await submit();
  assert.deepEqual(names(result), ["accepted", "accepted", "accepted"]);
  assert.deepEqual(subjects(), ["one", "two", "three"]);
  assert.deepEqual(
    result.type === "settled" && result.results.map((each) => each !== null && "id" in each && each.id),
    stored.map(({ id }) => id),
  );
  assert.equal(tokens(), 7);
});

test("a batch larger than the burst is accepted as a whole, and the next one waits for the rate", async () => {
  const { submit, stored } = scene({ burst: 2 });
  assert.equal((await submit()).type, "settled");
  const next = await submit();
  assert.deepEqual([names(next), stored.length], [["rejected", "null", "rate_limit_exceeded"], 3]);
  assert.equal(next.type === "rejected" && next.rejection.retryAfterS, 2);
});

test("a strict batch with a message that may not be sent stores nothing, a permissive one the others", async () => {
  const { submit, subjects, tokens } = scene();
  const drafts = [draft("one"), draft("two", { from: "shop@other.example" }), draft("three")];
  assert.deepEqual(names(await submit({ drafts })), ["rejected", "1", "sender_not_allowed"]);
  assert.deepEqual([subjects(), tokens()], [[], 10]);
  const permissive = await submit({ drafts: [...drafts, null], isStrict: false });
  assert.deepEqual(names(permissive), ["accepted", "sender_not_allowed", "accepted", null]);
  assert.deepEqual([subjects(), tokens()], [["one", "three"], 8]);
});

test("a message that is too large when built counts as one that may not be sent", async () => {
  const { submit, stored, tokens } = scene();
  const drafts = [draft("one"), draft("two", { text: "x".repeat(BYTES_MAX) })];
  assert.deepEqual(names(await submit({ drafts })), ["rejected", "1", "body_too_large"]);
  assert.deepEqual([stored.length, tokens()], [0, 10]);
  assert.deepEqual(names(await submit({ drafts, isStrict: false })), ["accepted", "body_too_large"]);
  assert.deepEqual([stored.length, tokens()], [1, 9]);
});

test("while the service accepts nothing, a permissive batch is rejected as a whole too", async () => {
  const { submit } = scene({ closed: "The disk is full." });
  assert.deepEqual(names(await submit({ isStrict: false })), ["rejected", "null", "engine_unavailable"]);
});

test("memory is reserved for all messages before the first is stored", async () => {
  const { submit, stored, tokens } = scene();
  const drafts = three();
  const sizeBytes = drafts.reduce((sum, each) => sum + each.content().bytes.length, 0);
  const full = new Error("no memory");
  const reserveMemory = (bytes: number): void => {
    assert.equal(bytes, 2 * sizeBytes);
    throw full;
  };
  await assert.rejects(submit({ drafts, reserveMemory }), full);
  assert.deepEqual([stored.length, tokens()], [0, 10]);
});

test("a quota that ends in the middle rejects the rest, whose tokens are refunded", async () => {
  const { submit, tokens } = scene({
    accept: ({ subject }) => (subject === "one" ? null : Promise.resolve({ type: "quota_exceeded" })),
  });
  assert.deepEqual(names(await submit()), ["accepted", "quota_exceeded", "quota_exceeded"]);
  assert.equal(tokens(), 9);
});

test("a store that fails for some messages rejects those; if it fails for all, its error is the batch's", async () => {
  const isDown = async (): Promise<Acceptance> => Promise.reject(new SpoolUnavailable("the disk is full"));
  const partly = scene({ accept: ({ subject }) => (subject === "two" ? isDown() : null) });
  assert.deepEqual(names(await partly.submit()), ["accepted", "engine_unavailable", "accepted"]);
  assert.equal(partly.tokens(), 8);
  const down = scene({ accept: isDown });
  await assert.rejects(down.submit(), SpoolUnavailable);
  assert.equal(down.tokens(), 10);
  const broken = new Error("a fault of the program");
  await assert.rejects(scene({ accept: () => Promise.reject(broken) }).submit(), broken);
});

test("a batch that is repeated with its key is replayed, and one at the same time too", async () => {
  const { submit, stored, tokens } = scene();
  const [first, second] = await Promise.all([submit({ idempotencyKey: "a" }), submit({ idempotencyKey: "a" })]);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(names(first), ["accepted", "accepted", "accepted"]);
  assert.deepEqual(names(second), ["replayed", "replayed", "replayed"]);
  assert.deepEqual(await submit({ idempotencyKey: "a" }), second);
  assert.deepEqual([stored.length, tokens()], [3, 7]);
  assert.equal(names(await submit({ idempotencyKey: "b" }))[0], "accepted");
});

test("a live batch at the same time as a test batch with the same key is a batch of its own", async () => {
  const { submit, stored } = scene();
  const drafts = three();
  const both = await Promise.all([true, false].map((isTest) => submit({ drafts, idempotencyKey: "a", isTest })));
  for (const result of both) assert.deepEqual(names(result), ["accepted", "accepted", "accepted"]);
  assert.deepEqual(
    stored.map(({ test }) => test),
    [true, true, true, false, false, false],
  );
});

test("with the key of an interrupted batch, only the messages that were not stored are", async () => {
  let isDown = true;
  const { submit, subjects, tokens } = scene({
    accept: ({ subject }) => (isDown && subject !== "two" ? Promise.reject(new SpoolUnavailable("gone")) : null),
  });
  assert.deepEqual(names(await submit({ idempotencyKey: "a" })), [
    "engine_unavailable",
    "accepted",
    "engine_unavailable",
  ]);
  isDown = false;
  assert.deepEqual(names(await submit({ idempotencyKey: "a" })), ["accepted", "replayed", "accepted"]);
  assert.deepEqual([subjects(), tokens()], [["two", "one", "three"], 7]);
});

test("a batch that differs in any message, or in their number, may not use the key", async () => {
  const { submit, stored } = scene();
  await submit({ idempotencyKey: "a", drafts: [null, ...three()], isStrict: false });
  for (const drafts of [three(), [null, ...three(), draft("four")], [draft("zero"), ...three()], three().reverse()]) {
    const result = await submit({ idempotencyKey: "a", drafts, isStrict: false });
    assert.deepEqual(names(result), ["rejected", "null", "idempotency_key_reused"]);
  }
  assert.equal(stored.length, 3);
});

test("each message has the request's id, and the key of the batch as the client wrote it", async () => {
  const { submit, stored } = scene();
  await submit({ idempotencyKey: "a", requestId: "req_1" });
  assert.deepEqual(
    stored.map(({ requestId, clientKey }) => [requestId, clientKey]),
    [1, 2, 3].map(() => ["req_1", "a"]),
  );
  await submit({ idempotencyKey: null });
  assert.equal(stored.at(-1)?.clientKey, null);
});
