/** Which requests the load shedder rejects itself, and which it passes to the API. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { AcceptBackpressure } from "../../../src/app/send/accept-backpressure.ts";
import { SendRate } from "../../../src/app/send/send-rate.ts";
import { createDialects, SEND_PATH } from "../../../src/http/dialects.ts";
import { KnownKeys, overloaded, shedLoad } from "../../../src/http/overload/load-shedder.ts";
import { AddressLimiter } from "../../../src/lib/address-limiter.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { ApiKey } from "../../../src/spool/port/api-keys.ts";
import type { RecordedRequest } from "../../../src/spool/port/request-log.ts";
import { problemOf } from "../../e2e/problem.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { localRates } from "../../support/local-rates.ts";
import { errorOf } from "../../support/resend-api.ts";

const KEY = { id: "key_1", accountId: "acc_1" } as ApiKey;
const FROM_API = 204;

/** An API that responds to everything with 204, behind a load shedder that is at its limit of one waiting send. */
async function startShedder(t: TestContext) {
  const clock = fakeClock();
  const backpressure = new AcceptBackpressure(clock, { waitingMax: 1, burstMax: 1, burstMs: 1000 });
  const known = new KnownKeys(clock);
  const refused: string[] = [];
  const recorded: RecordedRequest[] = [];
  const rate = new SendRate({ perSecond: 10, burst: 20 }, localRates(clock));
  const addresses = new AddressLimiter({ rate: { perSecond: 1, burst: 3 }, trustedProxies: 0, clock });
  const shedder = shedLoad((_, res) => void res.writeHead(FROM_API).end(), {
    backpressure,
    known,
    addresses,
    clock,
    log: silentLog,
    rateState: (key) => rate.state(key),
    dialectOf: createDialects(() => "https://mail.example.com"),
    metrics: { refused: (code) => void refused.push(code) },
    recorder: {
      record: (request, faultOf) =>
        void recorded.push(faultOf === undefined ? request : { ...request, fault: faultOf() }),
    },
  });
  const server = createServer(shedder).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  let store = (): void => {};
  const waiting = backpressure.wait(KEY.accountId, () => new Promise<void>((resolve) => (store = resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string, authorization = "Bearer one", init: RequestInit = { method: "POST", body: "{}" }) =>
    fetch(url + path, { ...init, headers: { Authorization: authorization } });
  const commit = (): Promise<void> => {
    store();
    return waiting;
  };
  return { clock, known, refused, recorded, url, ask, commit };
}

test("under overload a known key's sends are rejected, whatever their size", async (t) => {
  const { known, refused, recorded, ask, commit } = await startShedder(t);
  known.add("Bearer one", KEY);
  const body = "x".repeat(5_000_000);
  for (let i = 0; i < 2; i += 1) {
    const response = await ask(SEND_PATH, "Bearer one", { method: "POST", body });
    assert.equal(response.headers.get("ratelimit"), '"send";r=20;t=0');
    const { atMs, ...entry } = recorded[i] ?? assert.fail("not recorded");
    assert.deepEqual(entry, {
      id: response.headers.get("x-request-id"),
      accountId: "acc_1",
      keyId: "key_1",
      method: "POST",
      path: SEND_PATH,
      status: 503,
      code: "engine_unavailable",
      durationMs: 0,
      messageId: null,
      fault: { detail: overloaded.message, errors: [], others: 0 },
    });
    await problemOf(response, 503, "engine_unavailable");
  }
  assert.deepEqual(refused, ["engine_unavailable", "engine_unavailable"]);
  assert.equal(recorded.length, 2);
  await commit();
  assert.equal((await ask(SEND_PATH)).status, FROM_API);
});

test("sends of Resend's API are rejected likewise, in its form", async (t) => {
  const { known, recorded, ask } = await startShedder(t);
  known.add("Bearer one", KEY);
  for (const path of ["/compat/resend/emails", "/compat/resend/emails/batch", "/compat/resend//emails"]) {
    const response = await ask(path);
    assert.deepEqual([response.headers.get("ratelimit-limit"), response.headers.get("retry-after")], ["20", "5"]);
    await errorOf(response, 503, "application_error");
    assert.deepEqual([recorded.at(-1)?.path, recorded.at(-1)?.status], [path, 503]);
  }
  assert.equal((await ask("/compat/resend/emails", "Bearer one", {})).status, FROM_API, "a list");
});

test("all other requests are passed to the API", async (t) => {
  const { clock, known, ask } = await startShedder(t);
  assert.equal((await ask(SEND_PATH)).status, FROM_API, "an unknown key");
  known.add("Bearer one", KEY);
  known.add("Bearer two", { ...KEY, accountId: "acc_2" });
  assert.equal((await ask(SEND_PATH)).status, 503);
  assert.equal((await ask(SEND_PATH, "Bearer two")).status, FROM_API, "an account without waiting sends");
  assert.equal((await ask("/healthz", "Bearer one", {})).status, FROM_API);
  assert.equal((await ask("/api/sending/messages/msg_x", "Bearer one", {})).status, FROM_API);
  await clock.advance(1000);
  assert.equal((await ask(SEND_PATH)).status, FROM_API, "a key last seen a second ago, which may be revoked now");
});

test("requests without a key beyond the rate of their address are recorded without their query", async (t) => {
  const { clock, recorded, url } = await startShedder(t);
  for (let i = 0; i < 3; i += 1) assert.equal((await fetch(`${url}/x`)).status, FROM_API);
  const response = await fetch(`${url}/nowhere?secret`);
  assert.equal((await fetch(`${url}/metrics`)).status, 429);
  assert.deepEqual(recorded, [
    {
      id: response.headers.get("x-request-id"),
      atMs: clock.now(),
      accountId: null,
      keyId: null,
      method: "GET",
      path: "/nowhere",
      status: 429,
      code: "rate_limit_exceeded",
      durationMs: 0,
      messageId: null,
      fault: { detail: "Too many requests without a valid API key from this address.", errors: [], others: 0 },
    },
  ]);
});

test("a long field is not kept: spaces before a key would make any number of different ones", () => {
  const known = new KnownKeys(fakeClock());
  const [longest, longer] = [199, 200].map((spaces) => `Bearer${" ".repeat(spaces - 6)}x`);
  for (const field of [longest, longer]) known.add(field ?? "", KEY);
  assert.deepEqual([known.get(longest ?? ""), known.get(longer ?? "")], [KEY, undefined]);
});
