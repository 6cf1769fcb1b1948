/** Assets are sent as they are, or compressed once with the encoding that the client prefers. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Koa from "koa";
import { sendAsset } from "../../../src/dashboard/web/assets.ts";

async function ask(accepted: string | undefined, name = "dashboard.css") {
  const app = new Koa();
  const ctx = app.createContext(
    { headers: accepted === undefined ? {} : { "accept-encoding": accepted }, method: "GET", url: "/" } as never,
    headerStore() as never,
  );
  await sendAsset(ctx, name);
  return {
    body: ctx.body as Buffer,
    encoding: ctx.response.get("Content-Encoding") ?? "",
    vary: ctx.response.get("Vary"),
  };
}

/** The part of a ServerResponse that keeps header fields. */
function headerStore() {
  const fields = new Map<string, unknown>();
  return {
    headersSent: false,
    setHeader: (name: string, value: unknown) => void fields.set(name.toLowerCase(), value),
    getHeader: (name: string) => fields.get(name.toLowerCase()),
    hasHeader: (name: string) => fields.has(name.toLowerCase()),
    removeHeader: (name: string) => void fields.delete(name.toLowerCase()),
    getHeaders: () => Object.fromEntries(fields),
  };
}

it("are compressed as the client prefers, and with Brotli if it has no preference", async () => {
  const plain = await ask(undefined);
  assert.deepEqual([plain.encoding, plain.vary], ["", "Accept-Encoding"]);
  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "br"],
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", ""],
    ["deflate", ""],
    ["gzip;q=0", ""],
  ] as const) {
    const { body, encoding: used } = await ask(accepted);
    assert.equal(used, encoding, accepted);
    const decoded = encoding === "br" ? brotliDecompressSync(body) : encoding === "gzip" ? gunzipSync(body) : body;
    assert.ok(decoded.equals(plain.body), accepted);
    if (encoding !== "") assert.ok(body.length < plain.body.length / 3, `${body.length} of ${plain.body.length}`);
  }
});

it("are compressed once", async () => {
  assert.equal((await ask("br")).body, (await ask("br")).body);
});
