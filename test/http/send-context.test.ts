/** A request to send gets the same response without Koa's context as with it: a query, which is ignored, leads to Koa. */
import assert from "node:assert/strict";
import { Agent, type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Prng } from "../../simulate/prng.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const IN_CI = process.env.CI === "true";
const PAIRS = IN_CI ? 1500 : 300;
const SEED = 7;

interface Sent {
  headers: Record<string, string>;
  body: string;
  isChunked: boolean;
}

const PATH = "/api/sending/send";

function send(world: World, agent: Agent, { path, sent }: { path: string; sent: Sent }): Promise<unknown> {
  const { headers, body, isChunked } = sent;
  const length = isChunked ? {} : { "Content-Length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const started = request(`${world.service.url}${path}`, {
      method: "POST",
      agent,
      headers: { ...headers, ...length },
    });
    started.on("response", (response) => void shown(response).then(resolve, reject));
    started.on("error", reject);
    started.end(body);
  });
}

/** The response without what differs between any two requests. */
async function shown(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode, statusMessage, headers } = response;
  const { date, "x-request-id": requestId, ratelimit, ...others } = headers;
  assert.ok(date !== undefined && requestId !== undefined);
  const isRated = ratelimit !== undefined;
  const bytes = Buffer.concat(chunks);
  const isGzip = headers["content-encoding"] === "gzip";
  const { "content-length": length, ...fields } = others;
  assert.equal(Number(length), bytes.length);
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
  const body = JSON.parse(text.replaceAll(String(requestId), "ID").replace(/"id":"msg_[^"]*"/, '"id":"ID"'));
  return { statusCode, statusMessage, fields, isRated, body };
}

/** Draws a request: most are unusual in one or two ways. */
function draw(prng: Prng, world: World, number: number): Sent {
  const headers: Record<string, string> = { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" };
  const often = (probability: number, change: () => void): void => {
    if (prng.chance(probability)) change();
  };
  const AUTHORIZATIONS = [
    "",
    "Bearer",
    "Basic YTpi",
    "Bearer svc_live_none",
    `bearer  ${world.key} `,
    `Bearer ${world.key}x`,
  ] as const;
  often(0.15, () => {
    headers.Authorization = prng.pick(AUTHORIZATIONS);
    if (headers.Authorization === "") delete headers.Authorization;
  });
  const TYPES = [
    "application/json; charset=utf-8",
    "application/json;charset=UTF8",
    "application/json; charset=latin1",
    "application/vnd.api+json",
    "Application/JSON",
    "text/plain",
    "application/json, text/plain",
    "",
  ] as const;
  often(0.25, () => {
    headers["Content-Type"] = prng.pick(TYPES);
    if (headers["Content-Type"] === "") delete headers["Content-Type"];
  });
  often(0.1, () => {
    headers["Content-Encoding"] = prng.pick(["gzip", "identity", "br"]);
  });
  often(0.3, () => {
    headers["Accept-Encoding"] = prng.pick(["gzip", "gzip;q=0", "br, gzip", "identity", "*"]);
  });
  often(0.2, () => {
    headers["Idempotency-Key"] = prng.pick([`"key-${number}"`, `key-${number}`, "", '"', `"${"k".repeat(300)}"`]);
  });
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`unknown_${i}`, i]));
  const body = prng.pick<unknown>([
    sendBody(),
    sendBody(),
    sendBody({ text: "é".repeat(2000) }),
    sendBody({ from: "a@elsewhere.example" }),
    sendBody({ to: Array.from({ length: 2000 }, (_, i) => `user${i}@customers.example`) }),
    sendBody(many),
    {},
    [],
    "text",
    "{",
    "",
  ]);
  const isText = typeof body === "string" && body !== "text";
  return { headers, body: isText ? (body as string) : JSON.stringify(body), isChunked: prng.chance(0.1) };
}

test("any request to send has the same response, with Koa's context or without", { timeout: 600_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "0" });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const prng = new Prng(SEED);
  const statuses = new Map<number, number>();
  for (let number = 0; number < PAIRS; number += 1) {
    const sent = draw(prng, world, number);
    const again = { ...sent, headers: { ...sent.headers } };
    // The same key would be a repetition.
    const key = sent.headers["Idempotency-Key"];
    if (key !== undefined) again.headers["Idempotency-Key"] = key.replace("key-", "kez-");
    const plain = await send(world, agent, { path: PATH, sent });
    const byKoa = await send(world, agent, { path: `${PATH}?`, sent: again });
    assert.deepEqual(plain, byKoa, JSON.stringify(sent));
    const { statusCode } = plain as { statusCode: number };
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  }
  assert.deepEqual([...statuses.keys()].toSorted(), [202, 400, 401, 403, 415], JSON.stringify([...statuses]));
});
