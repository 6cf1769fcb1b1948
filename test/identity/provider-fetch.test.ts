/** The bounds of requests to the identity provider. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { providerFetch, REPLY_BYTES_MAX } from "../../src/identity/provider-fetch.ts";

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
}

const isUnavailable = (message: RegExp) => ({ name: "ProviderUnavailable", message });

describe("a request to the identity provider", () => {
  it("returns status, headers and content, and follows no redirect", async (t) => {
    const url = await serve(t, (_req, res) => res.writeHead(302, { Location: "/y" }).end("moved"));
    const response = await providerFetch(url);
    assert.deepEqual([response.status, response.headers.get("location"), await response.text()], [302, "/y", "moved"]);
  });

  it("takes a reply of as many octets as it may have, and no longer one, whatever its Content-Length", async (t) => {
    let bytes = REPLY_BYTES_MAX;
    const url = await serve(t, (_req, res) => {
      res.flushHeaders();
      res.end(Buffer.alloc(bytes));
    });
    assert.equal((await (await providerFetch(url)).arrayBuffer()).byteLength, REPLY_BYTES_MAX);
    bytes += 1;
    await assert.rejects(providerFetch(url), isUnavailable(/more than 262144 octets$/));
  });

  it("ends with the signal that it has got, also after the header", async (t) => {
    const url = await serve(t, (_req, res) => res.flushHeaders());
    const abort = new AbortController();
    const request = providerFetch(url, { signal: abort.signal });
    setImmediate(() => abort.abort(new Error("enough")));
    await assert.rejects(request, isUnavailable(/enough$/));
  });

  it("fails with the reason: a fault of the server, no server, or a URL that others could read", async (t) => {
    const url = await serve(t, (_req, res) => res.writeHead(502).end());
    await assert.rejects(
      providerFetch(`${url}?secret`),
      isUnavailable(/^no valid reply from http:[^?]+\/x: status 502$/),
    );
    await assert.rejects(providerFetch("http://127.0.0.1:1/"), isUnavailable(/ECONNREFUSED|bad port/));
    await assert.rejects(providerFetch("http://id.example/"), isUnavailable(/neither HTTPS nor loopback$/));
  });
});
