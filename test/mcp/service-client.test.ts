/** Requests of the server for agents to a service: bounds, redirects, and responses that are not the service's. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { ServiceClient, type ServiceRequest } from "../../src/mcp/service-client.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";

const { key } = newApiKey();
const LIST: ServiceRequest = { method: "GET", path: "/api/manage/domains" };
const never = new AbortController().signal;

async function clientOf(t: TestContext, respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return new ServiceClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail`, key });
}

it("sends the key, and each part in its place", async (t) => {
  let seen: unknown;
  const client = await clientOf(t, ({ method, url, headers }, response) => {
    seen = [method, url, headers.authorization];
    response.end('{"a":1}');
  });
  const { body } = await client.request(
    { method: "GET", path: "/api/{name}/x", params: { name: "a/b?c" }, query: { after: "d&e", limit: undefined } },
    never,
  );
  assert.deepEqual(body, { a: 1 });
  assert.deepEqual(seen, ["GET", "/mail/api/a%2Fb%3Fc/x?after=d%26e", `Bearer ${key}`]);
});

it("refuses a dot segment, which would make another path", async (t) => {
  const client = await clientOf(t, () => assert.fail("nothing is requested"));
  for (const id of ["", ".", ".."]) {
    await assert.rejects(client.request({ method: "GET", path: "/api/messages/{id}/cancel", params: { id } }, never), {
      message: "id: This is no id.",
    });
  }
});

it("reports problems, with when to call again", async (t) => {
  const client = await clientOf(t, (_, response) => {
    const problem = { code: "rate_limit_exceeded", detail: "Too many.", request_id: "req_1", retry_after: 3 };
    response.writeHead(429, { "Content-Type": "application/problem+json" }).end(JSON.stringify(problem));
  });
  await assert.rejects(client.request(LIST, never), {
    code: "rate_limit_exceeded",
    message: "Too many. Call again in 3 s. (429 rate_limit_exceeded, request req_1)",
  });
});

it("follows no redirect, and repeats no response that is not the service's", async (t) => {
  const responses: [number, string][] = [
    [302, ""],
    [502, "<h1>secret</h1>"],
    [200, "[1]"],
    [404, '{"message":"secret"}'],
  ];
  for (const [status, body] of responses) {
    const client = await clientOf(t, (_, response) => response.writeHead(status, { Location: "/elsewhere" }).end(body));
    await assert.rejects(client.request(LIST, never), {
      code: null,
      message: `POSTRIDER_URL responds with status ${status}, and not as Postrider does. Check the URL.`,
    });
  }
});

it("reads no response that is too large, and waits for none that does not come", async (t) => {
  const client = await clientOf(t, (_, response) => response.end(`"${"x".repeat(17 * 1024 * 1024)}"`));
  await assert.rejects(client.request(LIST, never), /larger than 16777216 bytes/);
  const silent = await clientOf(t, () => {});
  await assert.rejects(silent.request(LIST, never, 10), /cannot be reached: it has not responded in time\./);
  await assert.rejects(silent.request(LIST, AbortSignal.abort(new Error("cancelled"))), /cancelled/);
});

it("makes a limited number of requests at once", async (t) => {
  const held: ServerResponse[] = [];
  const client = await clientOf(t, (_, response) => {
    held.push(response);
    if (held.length === 8) for (const each of held) each.end("{}");
  });
  const running = Array.from({ length: 8 }, () => client.request(LIST, never));
  await assert.rejects(client.request(LIST, never), /8 calls are running/);
  assert.equal((await Promise.all(running)).length, 8);
});
