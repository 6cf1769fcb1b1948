/** What a request with several messages responds, for each result of accepting them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import Koa from "koa";
import type { BatchRequest, BatchResult } from "../../src/app/send/accept-batch.ts";
import type { AcceptResult, Rejection } from "../../src/app/send/accept-message.ts";
import { Drafts } from "../../src/http/drafts.ts";
import { Problem } from "../../src/http/response/problems.ts";
import { type BatchEntry, createSendBatch } from "../../src/http/send-batch.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ApiKey } from "../../src/spool/port/api-keys.ts";

const KEY = { id: "key_1", accountId: "acc_1" } as ApiKey;
const MESSAGE = { from: "a@shop.example", to: "b@b.example", subject: "s", text: "t" };

interface Asked {
  messages?: unknown[];
  isStrict?: boolean;
  idempotencyKey?: string;
}

type Outcome = { entries: ({ id: string } | { problem: Problem })[]; isReplay: boolean } | { problem: Problem };

/** Sends a batch that has this result. Returns what the endpoint gets, and the batch as it was to be accepted. */
async function send(t: TestContext, result: BatchResult, asked: Asked = {}) {
  const { messages = [MESSAGE, MESSAGE, MESSAGE], isStrict = true, idempotencyKey } = asked;
  const batches: BatchRequest[] = [];
  const sendBatch = createSendBatch(
    {
      acceptMessage: { rejectionOf: () => null },
      acceptBatch: {
        async accept(batch) {
          batches.push(batch);
          return result;
        },
      },
      drafts: new Drafts({ contentBytesMax: 1_000_000 }),
      clock: systemClock,
      limits: { recipientsMax: 50, messageBytesMax: 1_000_000 },
    },
    "resend_batch",
  );
  let outcome: Outcome | null = null;
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.status = 204;
    outcome = await sendBatch(ctx, KEY, { isStrict }).then(
      (entries) => ({
        entries: entries.map(withoutDraft),
        isReplay: ctx.response.get("Idempotency-Replayed") === "true",
      }),
      (problem: Problem) => ({ problem }),
    );
  });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body: JSON.stringify(messages) });
  assert.ok(outcome !== null);
  return { outcome: outcome as Outcome, batches };
}

const withoutDraft = (entry: BatchEntry) => ("id" in entry ? { id: entry.id } : entry);

function problemOf({ outcome }: { outcome: Outcome }): Problem {
  assert.ok("problem" in outcome && outcome.problem instanceof Problem, JSON.stringify(outcome));
  return outcome.problem;
}

const accepted = (id: string): AcceptResult => ({ type: "accepted", id });
const replayed = (id: string): AcceptResult => ({ type: "replayed", id });
const settled = (...results: (AcceptResult | null)[]): BatchResult => ({ type: "settled", results });
const quota: Rejection = { type: "rejected", code: "quota_exceeded", detail: "The quota is used up.", retryAfterS: 7 };
const foreign: Rejection = { type: "rejected", code: "sender_not_allowed", detail: "Not your domain." };

test("ids are returned in the order of the messages, and a batch that repeats another is marked", async (t) => {
  const fresh = await send(t, settled(accepted("a"), replayed("b"), accepted("c")));
  assert.deepEqual(fresh.outcome, { entries: [{ id: "a" }, { id: "b" }, { id: "c" }], isReplay: false });
  const again = await send(t, settled(replayed("a"), replayed("b"), replayed("c")), { idempotencyKey: "k" });
  assert.deepEqual(again.outcome, { entries: [{ id: "a" }, { id: "b" }, { id: "c" }], isReplay: true });
  assert.deepEqual(
    again.batches.map(({ idempotencyKey, isStrict, drafts }) => [idempotencyKey, isStrict, drafts.length]),
    [["k", true, 3]],
  );
});

test("a strict batch with an invalid message is not accepted at all", async (t) => {
  const messages = [MESSAGE, 7, { ...MESSAGE, colour: 1 }];
  const { outcome, batches } = await send(t, settled(), { messages });
  const { code, extras } = problemOf({ outcome });
  assert.deepEqual([code, batches.length], ["invalid_request", 0]);
  assert.deepEqual(
    extras.errors?.map(({ field }) => field),
    ["[1]", "[2].colour"],
  );
});

test("a permissive batch leaves out its invalid messages, which keep their places", async (t) => {
  const messages = [MESSAGE, 7, MESSAGE];
  const { outcome, batches } = await send(t, settled(accepted("a"), null, foreign), { messages, isStrict: false });
  assert.deepEqual(
    batches[0]?.drafts.map((draft) => draft === null),
    [false, true, false],
  );
  assert.ok("entries" in outcome);
  const shown = outcome.entries.map((entry) => ("id" in entry ? entry.id : entry.problem.code));
  assert.deepEqual(shown, ["a", "invalid_request", "sender_not_allowed"]);
});

test("a rejection of the whole batch is its own, one that a message causes names the message", async (t) => {
  const whole = problemOf(await send(t, { type: "rejected", index: null, rejection: quota }));
  assert.deepEqual([whole.code, whole.message, whole.extras.retryAfterS], ["quota_exceeded", quota.detail, 7]);
  const one = problemOf(await send(t, { type: "rejected", index: 2, rejection: foreign }));
  assert.deepEqual([one.code, one.message], ["sender_not_allowed", "[2]: Not your domain."]);
});

test("a strict batch that ends in the middle says which messages are accepted, and what to do", async (t) => {
  const messages = Array.from({ length: 7 }, () => MESSAGE);
  const [yes, no] = [accepted("a"), quota];
  const result = settled(yes, yes, yes, no, yes, no, yes);
  const unkeyed = problemOf(await send(t, result, { messages }));
  assert.equal(unkeyed.message, "The quota is used up. Already accepted: 0 to 2, 4, 6. Do not send those again.");
  assert.deepEqual([unkeyed.code, unkeyed.extras.retryAfterS], ["quota_exceeded", 7]);
  const keyed = problemOf(await send(t, result, { messages, idempotencyKey: "k" }));
  assert.match(
    keyed.message,
    / 0 to 2, 4, 6\. Repeat the batch with the same Idempotency-Key: those are not sent again\.$/,
  );
});

test("a batch of which nothing is accepted is an error where a retry can succeed", async (t) => {
  assert.equal(problemOf(await send(t, settled(quota, quota, quota))).message, quota.detail);
  const permissive = { isStrict: false };
  assert.equal(problemOf(await send(t, settled(foreign, quota, quota), permissive)).code, "quota_exceeded");
  const { outcome } = await send(t, settled(foreign, foreign, foreign), permissive);
  assert.ok("entries" in outcome && outcome.entries.length === 3);
});
