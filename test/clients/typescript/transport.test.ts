/** How the TypeScript client sends: retries, idempotency keys, errors, time limits and paths, against a scripted server. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Postrider, PostriderError, responseOf } from "../../../clients/typescript/src/index.ts";
import { type ScriptedAnswer, startScriptedServer } from "../scripted-server.ts";

const LETTER = { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" };
const ACCEPTED = { status: 202, body: '{"id":"msg_1","state":"accepted"}' };
const BUSY = { status: 503, headers: { "Retry-After": "0" } };

async function begin(t: TestContext, answers: readonly ScriptedAnswer[]) {
  const server = await startScriptedServer(t, answers);
  return { server, client: new Postrider({ url: `${server.url}/prefix/`, key: "svc_live_x" }) };
}

async function errorOf(promise: Promise<unknown>): Promise<PostriderError> {
  const error = await promise.catch((error: unknown) => error);
  assert.ok(error instanceof PostriderError, String(error));
  return error;
}

test("retries by Retry-After with one idempotency key", async (t) => {
  const { server, client } = await begin(t, [
    { status: 429, headers: { "Retry-After": "0" } },
    { status: 503, headers: { "Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT" } },
    { status: 0 },
    ACCEPTED,
    ACCEPTED,
    ACCEPTED,
  ]);
  assert.equal((await client.send(LETTER)).id, "msg_1");
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(new Set(server.requests.map(({ body }) => body)), new Set([JSON.stringify(LETTER)]));
  assert.equal(server.requests[0]?.line, "POST /prefix/api/sending/send");
  await client.send(LETTER);
  await client.send(LETTER, { idempotencyKey: "order-1042" });
  const [, , , , other, given] = server.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.notEqual(other, keys[0]);
  assert.equal(given, "order-1042");
});

test("stops at the bound, and at once where a retry is useless or far away", async (t) => {
  const problem = { code: "quota_exceeded", detail: "Used up.", request_id: "req_1", retry_after: 3600 };
  const { server, client } = await begin(t, [
    BUSY,
    BUSY,
    { status: 429, body: JSON.stringify(problem) },
    { status: 500, headers: { "X-Request-Id": "req_2" }, body: "<html>" },
    { status: 302, headers: { Location: "http://127.0.0.1:1/" } },
    { status: 503, body: '{"status":"not_ready","reasons":[]}' },
  ]);
  assert.equal((await errorOf(client.send(LETTER, { retriesMax: 1 }))).status, 503);
  assert.equal(server.requests.length, 2);
  const quota = await errorOf(client.send(LETTER));
  const { status, code, detail, requestId, retryAfter } = quota;
  assert.deepEqual(
    { status, code, detail, request_id: requestId, retry_after: retryAfter },
    { status: 429, ...problem },
  );
  const broken = await errorOf(client.send(LETTER));
  assert.deepEqual([broken.code, broken.requestId], ["unexpected_response", "req_2"]);
  assert.equal((await errorOf(client.send(LETTER))).status, 302);
  assert.equal((await errorOf(client.readiness())).status, 503);
  assert.equal(server.requests.length, 6);
  assert.equal(server.requests.at(-1)?.headers.authorization, undefined);
});

test("limits the time of an attempt, and ends with the caller's signal", async (t) => {
  const { server, client } = await begin(t, [
    { status: -1 },
    { status: -1 },
    { status: 503, headers: { "Retry-After": "60" } },
  ]);
  const late = await errorOf(client.send(LETTER, { timeoutMs: 50, retriesMax: 0 }));
  assert.deepEqual([late.status, late.code], [0, "timeout"]);
  for (const count of [2, 3]) {
    const controller = new AbortController();
    const sent = client.send(LETTER, { signal: controller.signal });
    while (server.requests.length < count) await new Promise(setImmediate);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await assert.rejects(sent, /^Error: enough$/);
  }
  await assert.rejects(client.send(LETTER, { signal: AbortSignal.abort(new Error("before")) }), /^Error: before$/);
  assert.equal(server.requests.length, 3);
});

test("writes paths, parameters and tags, and keeps what the response says", async (t) => {
  const headers = { ETag: '"1"', "X-Request-Id": "req_1", "Idempotency-Replayed": "true" };
  const { server, client } = await begin(t, [{ status: 200, headers, body: "{}" }, { status: 204 }]);
  const domain = await client.getDomain("a/b ?", { account: "shop & co" });
  assert.deepEqual(responseOf(domain), { requestId: "req_1", etag: '"1"', isReplayed: true });
  assert.throws(() => responseOf({}), TypeError);
  assert.equal(await client.removeDomain("a.example", { ifMatch: '"1"' }), undefined);
  assert.deepEqual(
    server.requests.map(({ line }) => line),
    ["GET /prefix/api/manage/domains/a%2Fb%20%3F?account=shop+%26+co", "DELETE /prefix/api/manage/domains/a.example"],
  );
  assert.equal(server.requests[1]?.headers["if-match"], '"1"');
  for (const name of ["", ".", ".."]) await assert.rejects(client.removeDomain(name), TypeError);
  assert.equal(server.requests.length, 2);
});

test("rejects settings that cannot work", () => {
  assert.throws(() => new Postrider({ url: "postrider.example.com", key: "k" }), /url must begin with http/);
  assert.throws(() => new Postrider({ url: "https://postrider.example.com", key: "" }), /key must be an API key/);
});

test("uses the fetch that it is given", async () => {
  const asked: string[] = [];
  const client = new Postrider({
    url: "https://postrider.example.com",
    key: "k",
    fetch: async (url) => {
      asked.push(url);
      return new Response('{"status":"ok"}');
    },
  });
  assert.deepEqual(await client.health(), { status: "ok" });
  assert.deepEqual(asked, ["https://postrider.example.com/healthz"]);
});
