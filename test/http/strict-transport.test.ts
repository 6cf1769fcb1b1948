/** Strict-Transport-Security: in every response of a service that is reached over HTTPS, and in none over plain HTTP. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { AcceptBackpressure } from "../../src/app/send/accept-backpressure.ts";
import { SendRate } from "../../src/app/send/send-rate.ts";
import { createDialects, SEND_PATH } from "../../src/http/dialects.ts";
import { KnownKeys, shedLoad } from "../../src/http/overload/load-shedder.ts";
import { listen } from "../../src/http/server.ts";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { ApiKey } from "../../src/spool/port/api-keys.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { localRates } from "../support/local-rates.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startWorld, type World } from "../support/world.ts";

const EXPECTED = "max-age=31536000";
const CONTENTS = { "Content-Type": "application/json" };

interface TestRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
}

async function ask(url: string, { method = "GET", path, headers = {} }: TestRequest): Promise<IncomingMessage> {
  const options = { method, headers, agent: false as const, rejectUnauthorized: false };
  const request = url.startsWith("https:") ? requestHttps(url + path, options) : requestHttp(url + path, options);
  request.end(method === "POST" ? "{" : undefined);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response;
}

/** Sends these bytes and returns everything received up to the end of the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { port, protocol } = new URL(url);
  const where = { host: "127.0.0.1", port: Number(port) };
  const secure = protocol === "https:";
  const socket: Socket = secure ? connectTls({ ...where, rejectUnauthorized: false }) : connectTcp(where);
  await once(socket, secure ? "secureConnect" : "connect");
  socket.write(bytes);
  let response = "";
  for await (const chunk of socket) response += String(chunk);
  return response;
}

/** Returns the field in responses of the API, the dashboard, the handler of malformed requests, and Node itself. */
async function fieldInResponses({ service: { url }, key }: World): Promise<[string, string | undefined][]> {
  const Authorization = `Bearer ${key}`;
  const requests: [number, TestRequest][] = [
    [200, { path: "/healthz" }],
    [200, { path: "/openapi.json" }],
    [404, { path: "/nothing" }],
    [401, { path: "/api/sending/messages" }],
    [200, { path: "/api/sending/messages", headers: { Authorization } }],
    [400, { method: "POST", path: SEND_PATH, headers: { Authorization, ...CONTENTS } }],
    [405, { method: "PUT", path: SEND_PATH, headers: { Authorization } }],
    [200, { path: "/dashboard/sign-in" }],
    [302, { path: "/dashboard" }],
    [404, { path: "/dashboard/nothing" }],
    [417, { path: "/healthz", headers: { Expect: "the unexpected" } }],
  ];
  const fields: [string, string | undefined][] = [];
  for (const [status, each] of requests) {
    const { statusCode, headers } = await ask(url, each);
    assert.equal(statusCode, status, each.path);
    fields.push([`${status} ${each.path}`, headers["strict-transport-security"]]);
  }
  for (const bytes of ["no request at all\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n"]) {
    const response = await exchange(url, bytes);
    assert.match(response, /^HTTP\/1\.1 400 /);
    fields.push([bytes, /^Strict-Transport-Security: (.*?)\r$/im.exec(response)?.[1]]);
  }
  return fields;
}

async function assertEverywhere(world: World, expected: string | undefined): Promise<void> {
  for (const [what, field] of await fieldInResponses(world)) assert.equal(field, expected, what);
}

test("with a certificate of the service, every response has the field", { timeout: 60_000 }, async (t) => {
  const certsDir = join(tempDir(t), "certs");
  mkdirSync(certsDir, { mode: 0o700 });
  const { cert, key } = selfSigned("localhost");
  writeFileSync(join(certsDir, "http.crt"), cert);
  writeFileSync(join(certsDir, "http.key"), key);
  await assertEverywhere(await startWorld(t, { CERTS_DIR: certsDir }), EXPECTED);
});

test("behind an HTTPS proxy, every response has the field", { timeout: 60_000 }, async (t) => {
  await assertEverywhere(await startWorld(t, { PUBLIC_URL: "https://mail.shop.example" }), EXPECTED);
});

test("over plain HTTP, no response has the field", { timeout: 60_000 }, async (t) => {
  await assertEverywhere(await startWorld(t), undefined);
  await assertEverywhere(await startWorld(t, { PUBLIC_URL: "http://mail.shop.example" }), undefined);
});

/** Starts a server whose load shedder rejects sends: it is at its limit of one waiting send. */
async function startOverloaded(t: TestContext, { publicHttps }: { publicHttps: boolean }): Promise<string> {
  const clock = fakeClock();
  const backpressure = new AcceptBackpressure(clock, { waitingMax: 1, burstMax: 1, burstMs: 1000 });
  const known = new KnownKeys(clock);
  const key = { id: "key_1", accountId: "acc_1" } as ApiKey;
  known.add("Bearer one", key);
  const rate = new SendRate({ perSecond: 10, burst: 20 }, localRates(clock));
  const addresses = new AddressLimiter({ rate: { perSecond: 0, burst: 1 }, trustedProxies: 0, clock });
  const shedder = shedLoad((_, res) => void res.writeHead(204).end(), {
    backpressure,
    known,
    addresses,
    clock,
    log: silentLog,
    rateState: (of) => rate.state(of),
    dialectOf: createDialects(() => "https://mail.example.com"),
    metrics: { refused: () => {} },
    recorder: { record: () => {} },
  });
  const where = { host: "127.0.0.1", port: 0, certsDir: tempDir(t), publicHttps };
  const listener = await listen({ ...where, clock, log: silentLog, answer: shedder, rejected: () => {} });
  t.after(() => listener.close());
  void backpressure.wait(key.accountId, () => new Promise<void>(() => {}));
  return `http://127.0.0.1:${listener.port}`;
}

test("responses of the load shedder have the field too", async (t) => {
  for (const publicHttps of [true, false]) {
    const url = await startOverloaded(t, { publicHttps });
    const headers = { Authorization: "Bearer one", ...CONTENTS };
    const response = await ask(url, { method: "POST", path: SEND_PATH, headers });
    assert.equal(response.statusCode, 503);
    assert.match(response.headers["retry-after"] ?? "", /^\d+$/);
    assert.equal(response.headers["strict-transport-security"], publicHttps ? EXPECTED : undefined);
  }
});
