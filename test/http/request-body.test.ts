/**
 * Long bodies over real connections: those that wait for memory are not read, all are accepted in the end, and a slow one or
 * one whose client has left frees its memory.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import Koa from "koa";
import { LongSendLimiter } from "../../src/http/overload/long-send-limiter.ts";
import { readJsonBytes } from "../../src/http/request-body.ts";
import { answerProblem, problemDetails, problemFor } from "../../src/http/response/problems.ts";
import { listen } from "../../src/http/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type FakeClock, fakeClock, quiet } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const MB = 1024 * 1024;
const BODY = Buffer.alloc(MB, "x");
/** Node reads up to 64 KiB at once: the read with the header, one that fills the buffer, one where the parser had to wait. */
const READ_AHEAD_BYTES = 3 * 64 * 1024;

interface Service {
  port: number;
  clock: FakeClock;
  /** Requests whose body has been read and that have not been answered. */
  read: { answer: () => void }[];
  /** The connections of all requests that have arrived, as the service sees them. */
  sockets: Socket[];
  /** The greatest number of requests that were read at once. */
  mostRead: () => number;
}

/** A service for one account, whose share is the memory of one send of 1 MB, or of more. */
async function startService(t: TestContext, { sends = 1 } = {}): Promise<Service> {
  const clock = fakeClock();
  const bytes = 2 * sends * 3.5 * MB;
  const limiter = new LongSendLimiter(
    { requests: 100, bytes, waiting: { ownerMax: 40, totalMax: 50 }, waitMs: 30_000 },
    clock,
  );
  const read: Service["read"] = [];
  const sockets: Socket[] = [];
  let mostRead = 0;
  const app = new Koa();
  app.use(async (ctx) => {
    sockets.push(ctx.req.socket);
    try {
      await limiter.run(ctx, "account", async () => {
        const body = await readJsonBytes(ctx, { bytesMax: 4 * MB, clock });
        await new Promise<void>((answer) => {
          mostRead = Math.max(mostRead, read.push({ answer }));
        });
        ctx.status = 202;
        ctx.body = { bytes: body.length, capacity: body.buffer.byteLength, isWhole: body.equals(BODY) };
      });
    } catch (error) {
      answerProblem(
        ctx,
        problemFor(error, ctx.method),
        problemDetails(() => "https://mail.example.com"),
      );
    }
  });
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    certsDir: tempDir(t),
    clock: systemClock,
    log: silentLog,
    answer: app.callback(),
    rejected: () => {},
  });
  t.after(() => listener.close());
  return { port: listener.port, clock, read, sockets, mostRead: () => mostRead };
}

interface Client {
  socket: Socket;
  /** All that the service sends until the connection closes. */
  answer: Promise<string>;
}

function post(t: TestContext, { port }: Service, body: Buffer, fields: string[] = []): Client {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const answer = once(socket, "close").then(() => received);
  const head = ["POST / HTTP/1.1", "Host: x", "Content-Type: application/json", `Content-Length: ${MB}`];
  socket.write(`${[...head, ...(fields.length === 0 ? ["Connection: close"] : fields)].join("\r\n")}\r\n\r\n`);
  socket.write(body);
  return { socket, answer };
}

/** Waits for events of the network. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits until nothing more arrives. */
async function untilBlocked(sockets: Socket[]): Promise<void> {
  for (let last = -1; ; ) {
    const now = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    if (now === last) return;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test("20 long bodies of one account are all accepted, a few at a time", { timeout: 60_000 }, async (t) => {
  const service = await startService(t, { sends: 3 });
  const clients = Array.from({ length: 20 }, () => post(t, service, BODY));
  for (let answered = 0; answered < clients.length; answered += 1) {
    await until(() => service.read.length > 0);
    await quiet();
    service.read.shift()?.answer();
  }
  for (const answer of await Promise.all(clients.map(({ answer }) => answer))) {
    assert.match(answer, /^HTTP\/1\.1 202 /);
    assert.ok(answer.includes(JSON.stringify({ bytes: MB, capacity: MB, isWhole: true })), answer);
  }
  assert.ok(service.mostRead() <= 3, `${service.mostRead()} bodies at once`);
});

test("the body of a request that waits is not read", { timeout: 60_000 }, async (t) => {
  const service = await startService(t);
  const first = post(t, service, BODY);
  await until(() => service.read.length === 1);
  const others = [post(t, service, BODY), post(t, service, BODY)];
  await until(() => service.sockets.length === 3);
  const waiting = service.sockets.slice(1);
  await untilBlocked(waiting);
  for (const { bytesRead } of waiting) assert.ok(bytesRead <= READ_AHEAD_BYTES, `${bytesRead} bytes read`);
  for (let i = 0; i < 3; i += 1) {
    await until(() => service.read.length > 0);
    service.read.shift()?.answer();
  }
  for (const { answer } of [first, ...others]) assert.match(await answer, /^HTTP\/1\.1 202 [\s\S]*"isWhole":true/);
});

test("a request that has waited too long is rejected and not read", { timeout: 60_000 }, async (t) => {
  const service = await startService(t);
  post(t, service, BODY);
  await until(() => service.read.length === 1);
  const waiting = post(t, service, BODY);
  await until(() => service.sockets.length === 2);
  await quiet();
  await service.clock.advance(30_000);
  assert.match(await waiting.answer, /^HTTP\/1\.1 429 [\s\S]*Retry-After: 2\r\n[\s\S]*rate_limit_exceeded/);
  service.read[0]?.answer();
});

test("a client that waits for permission gets it when its body is about to be read", { timeout: 60_000 }, async (t) => {
  const service = await startService(t);
  post(t, service, BODY);
  await until(() => service.read.length === 1);
  const expecting = post(t, service, Buffer.alloc(0), ["Expect: 100-continue", "Connection: close"]);
  await until(() => service.sockets.length === 2);
  await quiet();
  assert.equal(expecting.socket.bytesRead, 0);
  service.read.shift()?.answer();
  const [permission] = await once(expecting.socket, "data");
  assert.match(String(permission), /^HTTP\/1\.1 100 /);
  expecting.socket.write(BODY);
  await until(() => service.read.length === 1);
  service.read[0]?.answer();
  assert.match(await expecting.answer, /HTTP\/1\.1 202 /);
});

test("a client that leaves while it waits gives its place to the next", { timeout: 60_000 }, async (t) => {
  const service = await startService(t);
  post(t, service, BODY);
  await until(() => service.read.length === 1);
  const leaving = post(t, service, Buffer.alloc(0));
  await until(() => service.sockets.length === 2);
  const next = post(t, service, BODY);
  await until(() => service.sockets.length === 3);
  leaving.socket.destroy();
  await until(() => service.sockets[1]?.destroyed === true);
  service.read.shift()?.answer();
  await until(() => service.read.length === 1);
  service.read[0]?.answer();
  assert.match(await next.answer, /^HTTP\/1\.1 202 /);
});

test("a body that arrives too slowly is rejected and frees its memory", { timeout: 60_000 }, async (t) => {
  const service = await startService(t);
  const slow = post(t, service, BODY.subarray(0, 64 * 1024));
  const next = post(t, service, BODY);
  await until(() => service.sockets.length === 2);
  await untilBlocked(service.sockets);
  // The grace of 20 s, and one second for the first 64 KiB.
  await service.clock.advance(20_000);
  assert.equal(service.read.length, 0);
  await service.clock.advance(1000);
  assert.match(await slow.answer, /^HTTP\/1\.1 408 [\s\S]*Connection: close\r\n[\s\S]*request_timeout/);
  await until(() => service.read.length === 1);
  service.read[0]?.answer();
  assert.match(await next.answer, /^HTTP\/1\.1 202 /);
});
