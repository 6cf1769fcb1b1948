/**
 * Requests by clients with and without a key that would use too many resources: each is rejected early, and the
 * service continues.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";
import { connectRaw, exchange, requestBytes } from "./raw-http.ts";
import { json, otherAccountsKey } from "./refusals.ts";

const CHUNKED = "Transfer-Encoding: chunked";
const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";
const TINY_CHUNKS = "1\r\nx\r\n".repeat(65_000);

/** Sends tiny chunks and reads the response until the service closes the connection. */
async function sendTinyChunks({ service }: World, head: Buffer): Promise<string> {
  const socket: Socket = connect(service.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(Buffer.concat([head, Buffer.from(TINY_CHUNKS)]));
  await closed;
  return received;
}

test("cuts off one-byte chunks, with and without a key", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const withKey = `Authorization: Bearer ${world.key}`;
  const answers: [string[], string, RegExp][] = [
    [[FORM_TYPE, CHUNKED], "/dashboard/sign-in", /^HTTP\/1\.1 411 /],
    [[JSON_TYPE, CHUNKED, withKey], "/api/sending/send", /^HTTP\/1\.1 400 [\s\S]*too many small chunks/],
    [[JSON_TYPE, CHUNKED], "/api/sending/send", /^HTTP\/1\.1 401 /],
    [[JSON_TYPE, CHUNKED], "/healthz", /^HTTP\/1\.1 405 /],
  ];
  for (const [headers, path, expected] of answers) {
    const received = await sendTinyChunks(world, requestBytes({ path, headers }));
    assert.match(received, expected, path);
    assert.match(received, /\r\nConnection: close\r\n/);
  }
  assert.equal((await world.post(sendBody())).status, 202);
});

test("accepts a body in ordinary chunks and keeps the connection open", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const client = await connectRaw(world.service.url);
  const body = JSON.stringify(sendBody({ text: "A line of text.\n".repeat(20_000) }));
  const parts = body.match(/[\s\S]{1,1000}/g) ?? [];
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
  for (let i = 0; i < 2; i += 1) {
    const headers = [`Authorization: Bearer ${world.key}`, JSON_TYPE, CHUNKED];
    await client.write(requestBytes({ headers }));
    await client.write(`${chunks}0\r\n\r\n`);
    const answer = await client.answer();
    assert.equal(answer.status, 202, await answer.text());
    assert.equal(answer.headers.get("connection"), null);
  }
  client.end();
});

test("rejects a client that waits for permission to send before it sends", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const expects = (key: string): Buffer =>
    requestBytes({
      headers: [`Authorization: Bearer ${key}`, JSON_TYPE, "Expect: 100-continue", `Content-Length: ${json.length}`],
    });
  const socket = connect(world.service.port, "127.0.0.1");
  socket.write(expects(newApiKey().key));
  const [first] = await once(socket, "data");
  assert.match(String(first), /^HTTP\/1\.1 401 /);
  socket.destroy();

  const client = connect(world.service.port, "127.0.0.1");
  client.write(expects(world.key));
  const [permission] = await once(client, "data");
  assert.match(String(permission), /^HTTP\/1\.1 100 /);
  client.write(json);
  const [answer] = await once(client, "data");
  assert.match(String(answer), /^HTTP\/1\.1 202 /);
  client.destroy();
});

test("reads a form whose client waits for permission", { timeout: 60_000 }, async (t) => {
  const { service } = await startWorld(t);
  const form = "email=nobody%40shop.example&password=a+wrong+password";
  const client = connect(service.port, "127.0.0.1");
  const headers = [FORM_TYPE, "Expect: 100-continue", `Content-Length: ${form.length}`];
  client.write(requestBytes({ path: "/dashboard/sign-in", headers }));
  const [permission] = await once(client, "data");
  assert.match(String(permission), /^HTTP\/1\.1 100 /);
  client.write(form);
  const [answer] = await once(client, "data");
  assert.match(String(answer), /^HTTP\/1\.1 401 /);
  client.destroy();
});

test("names duplicate members of a request", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const twice = json.replace(/^\{/, '{"subject":"first",');
  assert.deepEqual(fieldsOf(await problemOf(await world.post(twice), 400, "invalid_request")), ["subject"]);
  const nested = json.replace(
    /^\{/,
    '{"metadata":{"a":"1","\\u0061":"2"},"attachments":[{"filename":"x","filename":"y","content":""}],',
  );
  const fields = fieldsOf(await problemOf(await world.post(nested), 400, "invalid_request"));
  assert.deepEqual(fields, ["attachments[0].filename", "metadata.a"]);
  const long = JSON.stringify(sendBody({ text: "x".repeat(100_000) })).replace(
    /^\{/,
    '{"to":"other@customers.example",',
  );
  assert.deepEqual(fieldsOf(await problemOf(await world.post(long), 400, "invalid_request")), ["to"]);
  // The same names in different objects, or inside a string, are not duplicates.
  const once = sendBody({ metadata: { text: '{"a":1,"a":2}', subject: "x" }, headers: { "X-A": "b" } });
  assert.equal((await world.post(once)).status, 202);
});

test("rejects duplicate single header fields", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const key = `Authorization: Bearer ${world.key}`;
  for (const headers of [
    ["Host: elsewhere.example", key, JSON_TYPE],
    [key, `authorization: Bearer ${newApiKey().key}`, JSON_TYPE],
    [key, JSON_TYPE, "content-type: text/plain"],
  ]) {
    await problemOf(await exchange(world.service.url, requestBytes({ headers, body: json })), 400, "invalid_request");
  }
  const dashboard = requestBytes({ method: "GET", path: "/dashboard/sign-in", headers: ["Host: elsewhere.example"] });
  await problemOf(await exchange(world.service.url, dashboard), 400, "invalid_request");
});

test("names the fault of a request without Host or with an unknown expectation", {
  timeout: 60_000,
}, async (t) => {
  const { service } = await startWorld(t);
  const without = await exchange(service.url, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  assert.match((await problemOf(without, 400, "invalid_request")).detail, /Host/);
  const expecting = requestBytes({ method: "GET", path: "/healthz", headers: ["Expect: a-miracle"] });
  assert.match((await problemOf(await exchange(service.url, expecting), 417, "expectation_failed")).detail, /Expect/);
  assert.equal((await exchange(service.url, "GET /healthz HTTP/1.0\r\n\r\n")).status, 200);
});

test("uses the path of an absolute target and rejects one that is not a URL", { timeout: 60_000 }, async (t) => {
  const { service } = await startWorld(t);
  const get = (path: string): Promise<Response> =>
    exchange(service.url, requestBytes({ method: "GET", path, headers: [] }));
  assert.equal((await get("http://mail.shop.example/healthz?x=1")).status, 200);
  for (const path of ["http://[::bad/healthz", "healthz", "ftp://mail.shop.example/healthz"]) {
    await problemOf(await get(path), 400, "invalid_request");
  }
});

test("limits requests without a valid key by address, but not those with one", { timeout: 60_000 }, async (t) => {
  const limits = { ADDRESS_RATE_PER_SECOND: "0.01", ADDRESS_RATE_BURST: "6", TRUST_PROXY: "1" };
  const world = await startWorld(t, limits);
  const { url } = world.service;
  const from = (address: string): Record<string, string> => ({ "X-Forwarded-For": address });
  const get = (path: string, headers: Record<string, string>) => fetch(url + path, { headers, redirect: "manual" });
  const wrong = { Authorization: `Bearer ${newApiKey().key}` };

  const other = from("198.51.100.1");
  const results = [
    await get("/metrics", other),
    await get("/openapi.json", other),
    await get("/dashboard/sign-in", other),
    await get("/dashboard", { ...other, Cookie: "postrider_session=nobodys" }),
    await get("/nothing", other),
    await world.post(sendBody(), { ...other, ...wrong }),
  ];
  assert.deepEqual(
    results.map(({ status }) => status),
    [200, 200, 200, 302, 404, 401],
  );
  await problemOf(await get("/metrics", other), 429, "rate_limit_exceeded");
  await problemOf(await world.post(sendBody(), { ...other, ...wrong }), 429, "rate_limit_exceeded");
  for (const path of ["/dashboard/sign-in", "/dashboard/keys"]) {
    const page = await get(path, { ...other, Cookie: path.endsWith("keys") ? "postrider_session=nobodys" : "" });
    assert.equal(page.status, 429);
    assert.ok(Number(page.headers.get("retry-after")) >= 1);
  }
  assert.equal((await get("/healthz", other)).status, 200, "counts health checks separately");
  assert.equal((await world.post(sendBody(), other)).status, 202, "does not count requests with a valid key");
  assert.equal((await get("/metrics", from("198.51.100.2"))).status, 200, "another address");
  for (let i = 0; i < 6; i += 1) await get("/metrics", from(`2001:db8::${i}`));
  assert.equal((await get("/metrics", from("2001:db8::ffff"))).status, 429, "treats a /64 as one client");
});

test("stops sending unread responses to one account, but not to others", { timeout: 600_000 }, async (t) => {
  // With messages of this size, the responses of one account may occupy 16 MiB.
  const world = await startWorld(t);
  const subject = "é".repeat(900);
  const tags = Array.from({ length: 10 }, (_, i) => `${i}${"é".repeat(100)}`);
  for (let i = 0; i < 100; i += 1) await world.post(sendBody({ subject, tags }));
  const list = requestBytes({
    method: "GET",
    path: "/api/sending/messages?limit=100",
    headers: [`Authorization: Bearer ${world.key}`],
  });
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  const listed = (key: string): Promise<Response> =>
    fetch(`${world.service.url}/api/sending/messages?limit=100`, { headers: { Authorization: `Bearer ${key}` } });
  const isUnread = async (answer: Response): Promise<boolean> => /are unread/.test(await answer.text());
  let refused = await isUnread(await listed(world.key));
  // The kernel buffers megabytes of responses per connection before the service must.
  while (!refused && clients.length < 60) {
    const client = connect(world.service.port, "127.0.0.1").pause();
    client.on("error", () => {});
    clients.push(client);
    client.write(Buffer.concat(Array.from({ length: 30 }, () => list)));
    for (let i = 0; i < 5 && !refused; i += 1) refused = await isUnread(await listed(world.key));
  }
  assert.ok(refused, `${clients.length} clients did not read their responses`);
  assert.equal((await listed((await otherAccountsKey(world)).key)).status, 200);
  for (const client of clients) client.destroy();
  while (refused) refused = await isUnread(await listed(world.key));
});
