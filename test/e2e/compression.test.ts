/** Compressed responses of the service: which there are, and that they say the same as the others. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";
import { sendBody, startWorld } from "../support/world.ts";

interface Answer {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  /** As received. */
  sizeBytes: number;
  /** Decoded. */
  text: string;
}

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };

/** Sends a request of exactly these header fields. */
async function ask(url: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> {
  const method = body === undefined ? "GET" : "POST";
  const sent = request(url, { method, headers, agent: false }).end(
    body === undefined ? undefined : JSON.stringify(body),
  );
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const bytes = await buffer(answer);
  const decode = DECODERS[answer.headers["content-encoding"] ?? ""] ?? ((plain: Buffer) => plain);
  assert.equal(answer.headers["content-length"], String(bytes.length));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    sizeBytes: bytes.length,
    text: decode(bytes).toString(),
  };
}

const GZIP = { "Accept-Encoding": "gzip, deflate, br" };

test("long texts of the service are compressed", { timeout: 120_000 }, async (t) => {
  const { email, password } = OPERATOR;
  const world = await startWorld(t, { ADMIN_EMAIL: email, ADMIN_PASSWORD: password });
  const { url } = world.service;
  const authorization = { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" };
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const sent = await ask(
      `${url}/api/sending/send`,
      { ...authorization, ...GZIP },
      sendBody({ tags: ["x".repeat(100)] }),
    );
    assert.deepEqual([sent.status, sent.headers["content-encoding"]], [202, undefined]);
    ids.push((JSON.parse(sent.text) as { id: string }).id);
  }
  for (const id of ids) await world.lookUp(id, "?wait=20");
  const page = await ask(`${url}/dashboard/api/messages`);
  const [, css = ""] = /href="(\/dashboard\/assets\/[^"]+\.css)"/.exec(page.text) ?? [];

  await t.test("of the API and the public pages, with the same content", async () => {
    for (const path of [
      "/openapi.json",
      "/dashboard/api/messages",
      css,
      `/api/sending/messages/${ids[0]}`,
      "/api/sending/messages",
      "/api/sending/events",
    ]) {
      const plain = await ask(url + path, authorization);
      const small = await ask(url + path, { ...authorization, ...GZIP });
      assert.deepEqual([plain.status, small.status], [200, 200], path);
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(small.headers["content-encoding"], path === css ? "br" : "gzip", path);
      for (const { headers } of [plain, small]) assert.equal(headers.vary, "Accept-Encoding", path);
      assert.equal(small.text, plain.text, path);
      assert.ok(small.sizeBytes < plain.sizeBytes * 0.6, `${path}: ${small.sizeBytes} of ${plain.sizeBytes}`);
      t.diagnostic(`${path}: ${plain.sizeBytes} bytes, compressed ${small.sizeBytes}`);
    }
    const metrics = await ask(`${url}/metrics`, GZIP);
    assert.equal(metrics.headers["content-encoding"], "gzip");
    assert.match(metrics.text, /^# HELP /);
    assert.equal((await ask(`${url}/healthz`, GZIP)).headers["content-encoding"], undefined);
  });

  await t.test("of signed-in users, unless another site has requested the page", async () => {
    const client = await clientOf(url, OPERATOR);
    for (const [site, isCompressed] of [
      ["none", true],
      ["same-origin", true],
      ["", true],
      ["same-site", false],
      ["cross-site", false],
    ] as const) {
      const from = site === "" ? {} : { "Sec-Fetch-Site": site };
      const answer = await ask(`${url}/dashboard/messages`, { Cookie: client.cookie, ...GZIP, ...from });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-encoding"], isCompressed ? "gzip" : undefined, site);
      if (isCompressed)
        t.diagnostic(`/dashboard/messages: ${answer.text.length} bytes, compressed ${answer.sizeBytes}`);
    }
  });
});
