/** What the front door answers itself, and what it leaves to the API. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { AcceptBackpressure } from "../../../src/app/accept-backpressure.ts";
import { SendRate } from "../../../src/app/send-rate.ts";
import { KnownKeys, SEND_PATH, shedLoad } from "../../../src/http/overload/load-shedder.ts";
import { rateHeaders } from "../../../src/http/rate-headers.ts";
import { AddressLimiter } from "../../../src/lib/address-limiter.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { ApiKey } from "../../../src/spool/port/accounts.ts";
import { problemOf } from "../../e2e/problem.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const KEY = { id: "key_1", accountId: "acc_1" } as ApiKey;
const FROM_API = 204;

/** An API that answers everything with 204, behind a front door with one place, which is taken. */
async function startFront(t: TestContext) {
  const clock = fakeClock();
  const crowd = new AcceptBackpressure(clock, { waitingMax: 1, burstMax: 1, burstMs: 1000 });
  const known = new KnownKeys(clock);
  const refused: string[] = [];
  const rate = new SendRate({ perSecond: 10, burst: 20 });
  const addresses = new AddressLimiter({ rate: { perSecond: 1, burst: 3 }, trustedProxies: 0, clock });
  const front = shedLoad((_, res) => void res.writeHead(FROM_API).end(), {
    ...{ backpressure: crowd, known, addresses, clock, log: silentLog },
    rateHeaders: (key) => ({ ...rateHeaders(rate.state(key, clock.monotonicMs())) }),
    metrics: { refused: (code) => void refused.push(code) },
  });
  const server = createServer(front).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  let store = (): void => {};
  const waiting = crowd.wait(KEY.accountId, () => new Promise<void>((resolve) => (store = resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string, authorization = "Bearer one", init: RequestInit = { method: "POST", body: "{}" }) =>
    fetch(url + path, { ...init, headers: { Authorization: authorization } });
  const commit = (): Promise<void> => {
    store();
    return waiting;
  };
  return { clock, known, refused, ask, commit };
}

test("a known key's sends are turned away while there is a crowd, however large they are", async (t) => {
  const { known, refused, ask, commit } = await startFront(t);
  known.add("Bearer one", KEY);
  const body = "x".repeat(5_000_000);
  for (let i = 0; i < 2; i += 1) {
    const answer = await ask(SEND_PATH, "Bearer one", { method: "POST", body });
    assert.equal(answer.headers.get("ratelimit"), '"send";r=20;t=0');
    await problemOf(answer, 503, "engine_unavailable");
  }
  assert.deepEqual(refused, ["engine_unavailable", "engine_unavailable"]);
  await commit();
  assert.equal((await ask(SEND_PATH)).status, FROM_API);
});

test("everything else goes on to the API", async (t) => {
  const { clock, known, ask } = await startFront(t);
  assert.equal((await ask(SEND_PATH)).status, FROM_API, "a key that was not seen");
  known.add("Bearer one", KEY);
  known.add("Bearer two", { ...KEY, accountId: "acc_2" });
  assert.equal((await ask(SEND_PATH)).status, 503);
  assert.equal((await ask(SEND_PATH, "Bearer two")).status, FROM_API, "an account that has nothing under way");
  assert.equal((await ask("/healthz", "Bearer one", {})).status, FROM_API);
  assert.equal((await ask("/api/sending/messages/msg_x", "Bearer one", {})).status, FROM_API);
  await clock.advance(1000);
  assert.equal((await ask(SEND_PATH)).status, FROM_API, "a key that was seen a second ago: it may be revoked now");
});
