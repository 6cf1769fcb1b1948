/** Which responses are compressed, for which clients, and with which header fields. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import Koa, { type Middleware } from "koa";
import { COMPRESSED_LENGTH_MIN, compressResponses } from "../../src/lib/compression.ts";

const LONG = "All work and no play. ".repeat(100);

interface Answer extends Pick<IncomingMessage, "headers" | "statusCode"> {
  body: Buffer;
}

type Ask = (accepted?: string, method?: string) => Promise<Answer>;

/** Serves this endpoint with compression. */
async function serve(t: TestContext, endpoint: Middleware, mayCompress?: () => boolean): Promise<Ask> {
  const app = new Koa();
  app.silent = true;
  app.use(compressResponses(mayCompress));
  app.use(endpoint);
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return async (accepted, method = "GET") => {
    const headers = accepted === undefined ? {} : { "Accept-Encoding": accepted };
    const sent = request({ port, host: "127.0.0.1", method, headers, agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return { headers: answer.headers, statusCode: answer.statusCode, body: await buffer(answer) };
  };
}

const sending =
  (body: unknown, type?: string): Middleware =>
  (ctx) => {
    ctx.body = body;
    if (type !== undefined) ctx.type = type;
  };

test("a long text is compressed for clients that prefer gzip, and only for those", async (t) => {
  const ask = await serve(t, sending(LONG, "text/html"));
  for (const accepted of [
    "gzip",
    "gzip, deflate, br",
    "br;q=1.0, gzip;q=0.8, *;q=0.1",
    "*",
    "GZIP",
    "identity;q=0.1, gzip",
  ]) {
    const { headers, body } = await ask(accepted);
    assert.equal(headers["content-encoding"], "gzip", accepted);
    assert.equal(headers["content-length"], String(body.length));
    assert.equal(headers.vary, "Accept-Encoding");
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(gunzipSync(body).toString(), LONG);
  }
  for (const accepted of [
    undefined,
    "",
    "identity",
    "br",
    "gzip;q=0",
    "gzip;q=0.2, identity;q=0.9",
    "*;q=0",
    "x-y,;=",
  ]) {
    const { headers, body } = await ask(accepted);
    assert.equal(headers["content-encoding"], undefined, accepted);
    assert.equal(headers.vary, "Accept-Encoding");
    assert.equal(body.toString(), LONG);
  }
});

test("HEAD has the header fields of GET", async (t) => {
  const ask = await serve(t, sending(LONG, "text/html"));
  const { date: _, ...get } = (await ask("gzip")).headers;
  const head = await ask("gzip", "HEAD");
  const { date: __, ...headers } = head.headers;
  assert.deepEqual(headers, get);
  assert.equal(head.body.length, 0);
});

test("JSON, CSS, scripts, SVG and plain text are compressed; files and streams of events are not", async (t) => {
  for (const [type, isCompressed] of [
    ["application/json", true],
    ["application/problem+json", true],
    ["text/css", true],
    ["text/javascript", true],
    ["text/plain; version=0.0.4", true],
    ["image/svg+xml", true],
    ["image/png", false],
    ["application/octet-stream", false],
    ["message/rfc822", false],
    ["text/event-stream", false],
  ] as const) {
    const ask = await serve(t, sending(Buffer.from(LONG), type));
    const { headers } = await ask("gzip");
    assert.equal(headers["content-encoding"], isCompressed ? "gzip" : undefined, type);
  }
  const object = { text: LONG };
  const { headers, body } = await (await serve(t, sending(object)))("gzip");
  assert.match(headers["content-type"] ?? "", /^application\/json/);
  assert.deepEqual(JSON.parse(gunzipSync(body).toString()), object);
});

test("a short response, one without a body, and one that may not be compressed stay as they are", async (t) => {
  const short = await (await serve(t, sending("x".repeat(COMPRESSED_LENGTH_MIN - 1))))("gzip");
  assert.deepEqual([short.headers["content-encoding"], short.headers.vary], [undefined, undefined]);
  const none = await (
    await serve(t, (ctx) => {
      ctx.status = 304;
    })
  )("gzip");
  assert.deepEqual([none.statusCode, none.headers["content-encoding"]], [304, undefined]);
  const encoded = await (
    await serve(t, (ctx) => {
      ctx.body = LONG;
      ctx.set("Content-Encoding", "br");
    })
  )("gzip");
  assert.equal(encoded.body.toString(), LONG);
  const forbidden = await (await serve(t, sending(LONG), () => false))("gzip");
  assert.deepEqual([forbidden.headers["content-encoding"], forbidden.headers.vary], [undefined, "Accept-Encoding"]);
});

test("many responses at once are complete, compressed or not", async (t) => {
  const ask = await serve(t, sending(LONG, "text/html"));
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask("gzip")));
  for (const { headers, body } of answers) {
    assert.equal((headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString(), LONG);
  }
});
