/** Posts to real receivers: headers, signatures, kept connections, and every response that a hostile endpoint may give. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { Clock } from "../../src/lib/clock.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createPoster, type Poster, type PosterParts, type PostRequest } from "../../src/webhooks/poster.ts";
import { newSecret } from "../../src/webhooks/signature.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { fakeResolver } from "../support/fake-resolver.ts";
import { certificateAuthority, selfSigned } from "../support/self-signed.ts";
import { startRawReceiver, startReceiver, writeEndlessly } from "./receiver.ts";

const BODY = JSON.stringify({ type: "recipient.delivered", data: { subject: "Grüße 🎉" } });
const SECRET = newSecret();

function posterFor(t: TestContext, parts: Partial<PosterParts> = {}): Poster {
  const poster = createPoster({
    resolver: fakeResolver({ "hooks.example": { A: ["127.0.0.1"] } }),
    clock: systemClock,
    allowPrivate: true,
    isOwnAddress: () => false,
    ...parts,
  });
  t.after(() => poster.close());
  return poster;
}

function postTo(url: string, request: Partial<PostRequest> = {}): PostRequest {
  return { url, id: "evt_1", atMs: Date.now(), body: BODY, secrets: [SECRET], ...request };
}

const local = ({ port }: { port: number }, path = "/hook?a=b%20c"): string => `http://127.0.0.1:${port}${path}`;

test("a post has the headers and signatures of Standard Webhooks, one for each secret", async (t) => {
  const receiver = await startReceiver(t);
  const poster = posterFor(t);
  const former = newSecret();
  const atMs = Date.now();
  const url = `http://hooks.example:${receiver.port}/hook?a=b%20c`;
  const result = await poster.post(postTo(url, { atMs, secrets: [SECRET, former] }));
  assert.equal(typeof result.durationMs, "number");
  assert.deepEqual(result, { ...result, status: 204, error: null, response: "", retryAfterMs: null });
  const [post] = receiver.posts;
  assert.ok(post !== undefined);
  const { method, path, headers, body } = post;
  assert.deepEqual([method, path, body], ["POST", "/hook?a=b%20c", BODY]);
  assert.deepEqual(headers, {
    host: `hooks.example:${receiver.port}`,
    "user-agent": "Postrider",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(BODY)),
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(atMs / 1000)),
    "webhook-signature": headers["webhook-signature"],
    connection: "keep-alive",
  });
  for (const secret of [SECRET, former]) {
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), JSON.parse(BODY));
  }
  assert.equal(String(headers["webhook-signature"]).split(" ").length, 2);
  assert.throws(() => new Webhook(newSecret()).verify(body, headers as Record<string, string>));
});

test("a status is the result, with the beginning of the body", async (t) => {
  const receiver = await startReceiver(t);
  const poster = posterFor(t);
  const DAY_MS = 86_400_000;
  for (const [status, headers, body, expected] of [
    [200, {}, "ok", { response: "ok", retryAfterMs: null }],
    [200, { "retry-after": "5" }, "", { response: "", retryAfterMs: null }],
    [410, {}, "gone\u0007", { response: "gone", retryAfterMs: null }],
    [429, { "retry-after": "7" }, "", { response: "", retryAfterMs: 7000 }],
    [500, {}, "x".repeat(5000), { response: "x".repeat(1024), retryAfterMs: null }],
    [503, { "retry-after": "9".repeat(30) }, "", { response: "", retryAfterMs: DAY_MS }],
  ] as const) {
    receiver.respond = (response) => response.writeHead(status, headers).end(body);
    const result = await poster.post(postTo(local(receiver)));
    assert.deepEqual(result, { status, error: null, durationMs: result.durationMs, ...expected });
  }
  assert.equal(receiver.connections.length, 1, "all on one connection");
});

test("a redirect is not followed", async (t) => {
  const [receiver, internal] = [await startReceiver(t), await startReceiver(t)];
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.respond = (response) => response.writeHead(status, { location: local(internal) }).end();
    assert.equal((await posterFor(t).post(postTo(local(receiver)))).status, status);
  }
  assert.deepEqual([receiver.posts.length, internal.connections.length], [5, 0]);
});

test("without private addresses none is connected to", async (t) => {
  const receiver = await startReceiver(t);
  const zone = { "hooks.example": { A: ["127.0.0.1"], AAAA: ["::ffff:127.0.0.1"] } };
  const poster = posterFor(t, { allowPrivate: false, resolver: fakeResolver(zone) });
  const errorOf = async (url: string): Promise<string | null> => (await poster.post(postTo(url))).error;
  const refused =
    "The host hooks.example has no public address (127.0.0.1 is not public (loopback)); see WEBHOOK_ALLOW_PRIVATE.";
  assert.equal(await errorOf(`https://hooks.example:${receiver.port}/`), refused);
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"]) {
    assert.match(String(await errorOf(`https://${host}:${receiver.port}/`)), /WEBHOOK_ALLOW_PRIVATE/, host);
  }
  assert.match(String(await errorOf(local(receiver))), /HTTPS only/);
  assert.equal(receiver.connections.length, 0);
});

test("an address of the host itself is refused, literal or by name", async (t) => {
  const poster = posterFor(t, {
    allowPrivate: false,
    isOwnAddress: (address) => address === "8.8.8.8",
    resolver: fakeResolver({ "hooks.example": { A: ["8.8.8.8"] } }),
  });
  for (const url of ["https://8.8.8.8/", "https://hooks.example/"]) {
    assert.match(String((await poster.post(postTo(url))).error), /8.8.8.8 is an address of the sending host/, url);
  }
});

test("a connection resolves its name once, and a kept one not again", async (t) => {
  const receiver = await startReceiver(t);
  const zone = { "hooks.example": { A: ["127.0.0.1"] } };
  const resolver = fakeResolver(zone);
  const poster = posterFor(t, { resolver });
  const url = `http://hooks.example:${receiver.port}/`;
  assert.equal((await poster.post(postTo(url))).status, 204);
  zone["hooks.example"].A = ["127.0.0.2"];
  assert.equal((await poster.post(postTo(url))).status, 204);
  assert.deepEqual(resolver.asked, ["A hooks.example", "AAAA hooks.example"]);
  assert.equal(receiver.connections.length, 1);
});

test("certificates are verified", async (t) => {
  const authority = certificateAuthority();
  const receiver = await startReceiver(t, authority.issue("hooks.example"));
  const resolver = fakeResolver({ "hooks.example": { A: ["127.0.0.1"] }, "other.example": { A: ["127.0.0.1"] } });
  const trusting = posterFor(t, { ca: authority.cert, resolver });
  const at = (name: string): PostRequest => postTo(`https://${name}:${receiver.port}/`);
  assert.equal((await trusting.post(at("hooks.example"))).status, 204);
  assert.equal((await trusting.post(at("hooks.example."))).status, 204);
  assert.equal(receiver.connections.length, 1);
  assert.match(String((await trusting.post(at("other.example"))).error), /another host name/);
  assert.match(String((await posterFor(t, { resolver }).post(at("hooks.example"))).error), /not trusted|self-signed/);
  const old = await startReceiver(t, selfSigned("hooks.example"));
  const distrusted = (await trusting.post(postTo(`https://hooks.example:${old.port}/`))).error;
  assert.equal(distrusted, "The endpoint's TLS certificate is self-signed.");
  assert.equal(receiver.posts.length, 2);
  assert.equal(old.posts.length, 0);
});

test("plain HTTP on an HTTPS port is a failed handshake", async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  receiver.connections.push = (socket) => {
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    return 0;
  };
  const { status, error } = await posterFor(t).post(postTo(`https://hooks.example:${receiver.port}/`));
  assert.equal(status, null);
  assert.match(String(error), /TLS handshake failed/);
});

test("a refused connection, a reset one and a closed one are errors, and not tried again", async (t) => {
  const poster = posterFor(t);
  const reset = await startRawReceiver(t, (socket) => socket.resetAndDestroy());
  const ended = await startRawReceiver(t, (socket) => socket.end());
  for (const receiver of [reset, ended]) {
    const { status, error } = await poster.post(postTo(local(receiver)));
    assert.deepEqual([status, error], [null, "The connection was closed before a response arrived."]);
    assert.equal(receiver.posts.length, 1);
  }
  const { error } = await poster.post(postTo("http://127.0.0.1:1/"));
  assert.equal(error, "The endpoint refused the connection.");
});

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

for (const end of ["reset", "closed"]) {
  test(`a kept connection that is ${end} instead of a response is replaced once, with the same webhook-id`, async (t) => {
    const receiver = await startRawReceiver(t, (socket, nth) => {
      if (nth === 1) socket.write(OK);
      else if (end === "reset") socket.resetAndDestroy();
      else socket.destroy();
    });
    const poster = posterFor(t);
    assert.equal((await poster.post(postTo(local(receiver), { id: "evt_1" }))).status, 200);
    const { status, response } = await poster.post(postTo(local(receiver), { id: "evt_2" }));
    assert.deepEqual([status, response], [200, "ok"]);
    assert.equal(receiver.connections.length, 2);
    const ids = receiver.posts.map((post) => /webhook-id: (.*)\r/.exec(post)?.[1]);
    assert.deepEqual(ids, ["evt_1", "evt_2", "evt_2"]);
  });
}

test("a new connection that is closed after a stale one is an error", async (t) => {
  const receiver = await startRawReceiver(t, (socket, nth) => {
    if (receiver.connections.length === 1 && nth === 1) socket.write(OK);
    else socket.destroy();
  });
  const poster = posterFor(t);
  assert.equal((await poster.post(postTo(local(receiver)))).status, 200);
  assert.match(String((await poster.post(postTo(local(receiver)))).error), /closed before a response/);
  assert.deepEqual([receiver.connections.length, receiver.posts.length], [2, 3]);
});

test("a kept connection that breaks within a response is not replaced", async (t) => {
  const receiver = await startRawReceiver(t, (socket, nth) => {
    if (nth === 1) socket.write(OK);
    else socket.end("HTTP/1.1 2");
  });
  const poster = posterFor(t);
  assert.equal((await poster.post(postTo(local(receiver)))).status, 200);
  assert.equal((await poster.post(postTo(local(receiver)))).status, null);
  assert.deepEqual([receiver.connections.length, receiver.posts.length], [1, 2]);
});

test("over TLS a stale kept connection is replaced too", async (t) => {
  const authority = certificateAuthority();
  const receiver = await startReceiver(t, authority.issue("hooks.example"));
  const poster = posterFor(t, { ca: authority.cert });
  const url = `https://hooks.example:${receiver.port}/`;
  assert.equal((await poster.post(postTo(url))).status, 204);
  receiver.respond = (response, { socket }) => {
    receiver.respond = (next) => next.writeHead(200).end("again");
    socket.destroy();
    response.destroy();
  };
  const { status, response } = await poster.post(postTo(url));
  assert.deepEqual([status, response], [200, "again"]);
  assert.equal(receiver.connections.length, 2);
});

test("connections that the server closes while they are idle cost no post", async (t) => {
  const receiver = await startReceiver(t);
  const poster = posterFor(t);
  for (let i = 0; i < 20; i += 1) {
    assert.equal((await poster.post(postTo(local(receiver)))).status, 204);
    receiver.closeIdle();
  }
  assert.equal(receiver.posts.length, 20);
});

/** Waits until the receiver has its first post. */
async function firstPost({ posts }: { posts: unknown[] }): Promise<void> {
  while (posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the receiver's first connection is closed. */
async function closed(receiver: { posts: unknown[]; connections: Socket[] }): Promise<void> {
  await firstPost(receiver);
  const [socket] = receiver.connections;
  if (socket?.closed === false) await new Promise((resolve) => socket.once("close", resolve));
}

test("without a response within 15 s the post fails, and its connection is closed", async (t) => {
  const clock = fakeClock();
  const receiver = await startRawReceiver(t, () => {});
  const posted = posterFor(t, { clock }).post(postTo(local(receiver)));
  await firstPost(receiver);
  await clock.advance(14_999);
  assert.deepEqual(clock.dueMs.length, 1);
  await clock.advance(1);
  const { status, error, durationMs } = await posted;
  assert.deepEqual([status, error, durationMs], [null, "No response within 15 seconds.", 15_000]);
  await closed(receiver);
});

test("the 15 s include the look-up of the name", async (t) => {
  const clock = fakeClock();
  const silent = { ...fakeResolver({}), a: () => new Promise<never>(() => {}) };
  const posted = posterFor(t, { clock, resolver: silent }).post(postTo("http://hooks.example/"));
  await clock.advance(15_000);
  assert.equal((await posted).error, "No response within 15 seconds.");
});

test("the status counts although the body never ends; what arrived of it is shown", async (t) => {
  const clock = fakeClock();
  const receiver = await startReceiver(t);
  receiver.respond = (response) => response.writeHead(200).write("first");
  const posted = posterFor(t, { clock }).post(postTo(local(receiver)));
  await firstPost(receiver);
  // The body's first chunk has arrived when the receiver has gone through several more iterations.
  await clock.advance(14_999);
  await clock.advance(1);
  const { status, error, response } = await posted;
  assert.deepEqual([status, error, response], [200, null, "first"]);
  await closed(receiver);
});

/** Responses without an end. Each closes the connection long before the time limit, which the clock never reaches. */
const ENDLESS: [string, string, string, { status: number | null; error: string | null; response: string }][] = [
  ["a body", "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(10_000), { status: 200, error: null, response: "x".repeat(1024) }],
  [
    "a body of tiny chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "1\r\ny\r\n".repeat(1000),
    { status: 200, error: null, response: "y".repeat(1001) },
  ],
  [
    "a header",
    "HTTP/1.1 200 OK\r\n",
    `X-Filler: ${"x".repeat(1000)}\r\n`,
    { status: null, error: "The header of the response is too large.", response: "" },
  ],
  [
    "a header field",
    "HTTP/1.1 200 OK\r\nX-Filler: ",
    "x".repeat(1000),
    { status: null, error: "The header of the response is too large.", response: "" },
  ],
  [
    "informational responses",
    "",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(100),
    { status: null, error: "The endpoint sent too many informational responses (1xx).", response: "" },
  ],
  [
    "100 Continue",
    "",
    "HTTP/1.1 100 Continue\r\n\r\n".repeat(100),
    { status: null, error: "The endpoint sent too many informational responses (1xx).", response: "" },
  ],
  [
    "large informational responses",
    "",
    `HTTP/1.1 103 Early Hints\r\nLink: ${"x".repeat(10_000)}\r\n\r\n`,
    { status: null, error: "The endpoint sent more than 64 KiB before its response.", response: "" },
  ],
  [
    "empty lines before the status line",
    "",
    "\r\n".repeat(1000),
    { status: null, error: "The endpoint sent more than 64 KiB before its response.", response: "" },
  ],
  [
    "bytes that are not HTTP",
    "",
    "SSH-2.0-OpenSSH_9.2\r\n".repeat(100),
    { status: null, error: "The response is not valid HTTP (HPE_INVALID_CONSTANT).", response: "" },
  ],
];

for (const [what, start, chunk, expected] of ENDLESS) {
  test(`endless ${what}`, async (t) => {
    const clock: Clock = fakeClock();
    const receiver = await startRawReceiver(t, (socket) => {
      socket.write(start);
      writeEndlessly(socket, chunk);
    });
    const posted = posterFor(t, { clock }).post(postTo(local(receiver)));
    await closed(receiver);
    assert.deepEqual(await posted, { ...expected, durationMs: 0, retryAfterMs: null });
  });
}

test("empty lines before the status line are skipped within the limit, on a kept connection too", async (t) => {
  const lines = "\r\n".repeat(20_000);
  const receiver = await startRawReceiver(t, (socket) => {
    socket.write(`${lines}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
  });
  const poster = posterFor(t);
  for (let i = 0; i < 3; i += 1) {
    const { status, response } = await poster.post(postTo(local(receiver)));
    assert.deepEqual([status, response], [200, "ok"]);
  }
  assert.equal(receiver.connections.length, 1);
});

test("posts leave no listeners on their kept connection", async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on("warning", onWarning);
  t.after(() => process.off("warning", onWarning));
  const receiver = await startReceiver(t);
  const poster = posterFor(t);
  // Node warns about more than 10 listeners.
  for (let i = 0; i < 20; i += 1) assert.equal((await poster.post(postTo(local(receiver)))).status, 204);
  assert.equal(receiver.connections.length, 1);
  const names = warnings.map(({ name }) => name);
  assert.ok(!names.includes("MaxListenersExceededWarning"), names.join());
});

test("a body that is cut off counts as far as it arrived", async (t) => {
  const receiver = await startRawReceiver(t, (socket) =>
    socket.end("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhalf"),
  );
  const { status, error, response } = await posterFor(t).post(postTo(local(receiver)));
  assert.deepEqual([status, error, response], [500, null, "half"]);
});

test("a switch of protocols is a status, and ends the connection", async (t) => {
  const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const receiver = await startRawReceiver(t, (socket) => socket.write(switching));
  const posted = posterFor(t).post(postTo(local(receiver)));
  await closed(receiver);
  const { status, error, response } = await posted;
  assert.deepEqual([status, error, response], [101, null, ""]);
});

test("nothing is sent without a valid secret, and the error does not contain it", async (t) => {
  const receiver = await startReceiver(t);
  const poster = posterFor(t);
  for (const secrets of [[], ["whsec_c2hvcnQ="], [SECRET, "hunter2"]]) {
    const { status, error } = await poster.post(postTo(local(receiver), { secrets }));
    assert.equal(status, null);
    assert.match(String(error), /signing secret/);
    assert.doesNotMatch(String(error), /c2hvcnQ|hunter2/);
  }
  assert.equal(receiver.connections.length, 0);
});

test("a close ends the posts under way and refuses others", async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  const poster = posterFor(t);
  const posted = poster.post(postTo(local(receiver)));
  await firstPost(receiver);
  await poster.close();
  for (const result of [await posted, await poster.post(postTo(local(receiver)))]) {
    assert.deepEqual([result.status, result.error], [null, "The service was stopped before a response arrived."]);
  }
  assert.equal(receiver.posts.length, 1);
});
