/** Each response of the API is found in the request log by its X-Request-Id, also those that bypass Koa. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { ApiRequest } from "../../src/spool/port/request-log.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { exchange } from "../e2e/raw-http.ts";
import { sendBody, startWorld } from "../support/world.ts";

const SEND = "/api/sending/send";

interface Problem {
  detail: string;
  errors: object[];
}

const idOf = (answer: Response): string => answer.headers.get("x-request-id") ?? assert.fail("no X-Request-Id");

/** The entries with the id of this response, of the default account or without a valid key. */
async function entriesOf(spool: Spool, answer: Response): Promise<ApiRequest[]> {
  const filter = { id: idOf(answer), limit: 10 };
  const own = await spool.requests({ accountId: "acc_default", ...filter });
  const keyless = await spool.requests({ accountId: null, ...filter });
  return [...own.requests, ...keyless.requests];
}

/** Waits until the response is recorded, and returns its only entry. */
async function recorded(spool: Spool, answer: Response): Promise<ApiRequest> {
  for (let looks = 0; looks < 400; looks += 1) {
    const [entry, another] = await entriesOf(spool, answer);
    assert.equal(another, undefined);
    if (entry !== undefined) return entry;
    await setTimeout(20);
  }
  return assert.fail("not recorded in time");
}

test("each kind of response is recorded once, with its code and its key", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url, spool } = world.service;
  const raw = (lines: string[]): Promise<Response> => exchange(url, `${lines.join("\r\n")}\r\n\r\n`);
  const expected: [answer: Response, method: string, path: string, code: string | null, hasKey: boolean][] = [
    [await world.post("{"), "POST", SEND, "invalid_json", true],
    [await world.post(sendBody({ from: "ann@other.example" })), "POST", SEND, "sender_not_allowed", true],
    [await world.lookUp("msg_x"), "GET", "/api/sending/messages/msg_x", "not_found", true],
    [await world.lookUp("x", "", "svc_live_x"), "GET", "/api/sending/messages/x", "invalid_api_key", false],
    [await fetch(`${url}${SEND}`, { method: "DELETE" }), "DELETE", SEND, "method_not_allowed", false],
    [await fetch(`${url}/${world.key}?key=${world.key}`), "GET", "/svc_live_…", "not_found", false],
    [await raw(["NO REQUEST AT ALL"]), "", "", "invalid_request", false],
    [await raw([`POST ${SEND}?x HTTP/1.1`, "Host: a", "Host: b"]), "POST", SEND, "invalid_request", false],
    [await raw([`POST ${SEND} HTTP/1.1`, "Host: a", "Expect: all"]), "POST", SEND, "expectation_failed", false],
  ];
  for (const [answer, method, path, code, hasKey] of expected) {
    const { atMs, durationMs, ...entry } = await recorded(spool, answer);
    const owner = hasKey ? { accountId: "acc_default", keyId: world.keyId } : { accountId: null, keyId: null };
    assert.deepEqual(entry, {
      id: idOf(answer),
      method,
      path,
      status: answer.status,
      code,
      messageId: null,
      ...owner,
    });
    assert.ok(Math.abs(Date.now() - atMs) < 60_000);
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
  }
});

test("a failure is recorded with its detail and its fields", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url, spool } = world.service;
  const faultOf = async (accountId: string | null, answer: Response) => {
    const { id } = await recorded(spool, answer);
    return (await spool.recordedRequest(accountId, id))?.fault;
  };
  const invalid = await world.post(sendBody({ to: "not-an-address" }));
  const { detail, errors } = (await invalid.clone().json()) as Problem;
  assert.equal(errors.length, 1);
  assert.deepEqual(await faultOf("acc_default", invalid), { detail, errors, others: 0 });
  const malformed = await exchange(url, "NO REQUEST AT ALL\r\n\r\n");
  const { detail: sentence } = (await malformed.clone().json()) as Problem;
  assert.deepEqual(await faultOf(null, malformed), { detail: sentence, errors: [], others: 0 });
});

test("an accepted message is recorded with its id, and a held lookup when it ends", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const { spool } = world.service;
  const answer = await world.post(sendBody({ to: `4xx-451@customers.example` }));
  const { id } = (await answer.json()) as { id: string };
  const waiting = world.lookUp(id, "?wait=1");
  const sent = await recorded(spool, answer);
  assert.deepEqual([sent.status, sent.code, sent.messageId], [202, null, id]);
  const looked = await recorded(spool, await waiting);
  assert.deepEqual([looked.status, looked.path, looked.messageId], [200, `/api/sending/messages/${id}`, null]);
  assert.ok(looked.durationMs >= 900, `${looked.durationMs} ms`);
});

test("service endpoints and the dashboard are not recorded", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url, spool } = world.service;
  const paths = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/dashboard/sign-in"];
  const answers = await Promise.all(paths.map((path) => fetch(url + path)));
  await recorded(spool, await world.lookUp("msg_x"));
  const { requests } = await spool.requests({ accountId: null, limit: 10 });
  assert.deepEqual(requests, []);
  for (const [i, answer] of answers.entries()) assert.deepEqual(await entriesOf(spool, answer), [], paths[i]);
});

test("a stop writes the last requests", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const answer = await world.post("{");
  await world.service.stop();
  const spool = await openSqliteSpool({
    dataDir: world.env.DATA_DIR ?? "",
    role: "client",
    onFatal: (error) => assert.fail(error),
  });
  t.after(() => spool.close());
  assert.equal((await entriesOf(spool, answer)).length, 1);
});
