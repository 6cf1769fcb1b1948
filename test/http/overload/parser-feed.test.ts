/** Parsing in slices gives the same result as without, delays no other connection, and stops when the response has ended. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { feedInSlices, markKnown } from "../../../src/http/overload/parser-feed.ts";
import { selfSigned } from "../../support/self-signed.ts";

const TINY = "1\r\nx\r\n";
/** As many as fit in one read of the server. */
const TINY_CHUNKS = TINY.repeat(10_000);
const HEAD = "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

async function serve(t: TestContext, listener: RequestListener, { tls = false } = {}): Promise<() => Promise<Socket>> {
  const server = tls ? createTlsServer(selfSigned("localhost"), listener) : createServer(listener);
  feedInSlices(server, tls ? "secureConnection" : "connection");
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
    server.close().closeAllConnections();
  });
  return async () => {
    const options = { host: "127.0.0.1", port, allowHalfOpen: true };
    const socket = tls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
    clients.push(socket);
    socket.on("error", () => {});
    await once(socket, tls ? "secureConnect" : "connect");
    return socket;
  };
}

/** Returns everything that a client receives until the server ends the connection. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

/** Responds with the length and the checksum of the body. */
const echo: RequestListener = (req, res) => {
  const sums = { bytes: 0, sum: 0 };
  req.on("data", (chunk: Buffer) => {
    sums.bytes += chunk.length;
    for (const byte of chunk) sums.sum = (sums.sum * 31 + byte) % 1_000_003;
  });
  req.on("end", () => res.end(JSON.stringify(sums)));
};

for (const tls of [false, true]) {
  test(`chunks of all sizes, split anywhere, are parsed${tls ? ", over TLS" : ""}`, async (t) => {
    const open = await serve(t, echo, { tls });
    const parts = Array.from({ length: 400 }, (_, i) =>
      String.fromCharCode(97 + (i % 26)).repeat(1 + ((i * 7919) % 911)),
    );
    const body = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
    const expected = { bytes: 0, sum: 0 };
    for (const byte of Buffer.from(parts.join(""))) {
      expected.bytes += 1;
      expected.sum = (expected.sum * 31 + byte) % 1_000_003;
    }
    for (const pieceBytes of [7_000, 65_000, 1_000_000]) {
      const client = await open();
      const bytes = `${HEAD.replace("Host: x", "Host: x\r\nConnection: close")}${body}0\r\n\r\n`;
      for (let at = 0; at < bytes.length; at += pieceBytes) client.write(bytes.slice(at, at + pieceBytes));
      assert.match(await received(client), new RegExp(`${JSON.stringify(expected)}$`), `pieces of ${pieceBytes}`);
    }
  });
}

test("pipelined requests are all answered in order, also if the client reads the responses late", async (t) => {
  const large = "x".repeat(200_000);
  const open = await serve(t, (req, res) => res.end(`${req.url} ${large}`));
  const client = await open();
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}`);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Pad: ${"p".repeat(500)}\r\n\r\n`);
  client.pause();
  client.write(requests.join(""));
  client.write("GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const text = await received(client);
  assert.deepEqual(
    [...text.matchAll(/(\/\w+) x/g)].map(([, path]) => path),
    [...paths, "/end"],
  );
});

test("a chunked body after pipelined requests whose responses are not read is parsed when they are", async (t) => {
  const large = "x".repeat(84_000);
  const open = await serve(t, (req, res) => {
    if (req.url === "/body") echo(req, res);
    else res.end(large);
  });
  // How many responses fit into the kernel's buffers differs between hosts.
  for (let count = 1; count <= 60; count += 1) {
    const client = await open();
    client.pause();
    client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count));
    client.write(`${HEAD.replace("Host: x", "Host: x\r\nConnection: close")}${TINY.repeat(5000)}0\r\n\r\n`);
    await setTimeout(5);
    const text = await received(client);
    assert.equal(text.split("HTTP/1.1 200 OK").length - 1, count + 1);
    assert.match(text, /"bytes":5000,/);
  }
});

test("a body in tiny chunks does not delay other connections", async (t) => {
  let chunks = 0;
  let chunksBefore = -1;
  const open = await serve(t, (req, res) => {
    if (req.url !== "/body") {
      chunksBefore = chunks;
      return res.end("ok");
    }
    req.on("data", () => {
      chunks += 1;
    });
  });
  const [busy, other] = [await open(), await open()];
  busy.write(HEAD + TINY_CHUNKS);
  other.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(other, "data");
  assert.ok(chunksBefore < 5000, `${chunksBefore} chunks were parsed before the other request`);
  busy.destroy();
});

test("an account's connections have a share of their own, which is limited too", async (t) => {
  let chunks = 0;
  let chunksBefore = -1;
  const open = await serve(t, (req, res) => {
    if (req.url === "/key") markKnown(req.socket, "acc_busy");
    if (req.url === "/other") chunksBefore = chunks;
    if (req.url !== "/body") return res.end("ok");
    req.on("data", () => {
      chunks += 1;
    });
  });
  const busy = await Promise.all(Array.from({ length: 40 }, open));
  for (const client of busy) {
    client.write("GET /key HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(client, "data");
  }
  const other = await open();
  for (const client of busy) client.write(HEAD + TINY_CHUNKS);
  other.write("GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(other, "data");
  assert.ok(chunksBefore < 200_000, `${chunksBefore} of 400,000 chunks were parsed before the other request`);
});

test("after a response that ends the connection, nothing more is parsed and the client receives the response", async (t) => {
  let chunks = 0;
  const open = await serve(t, (req, res) => {
    req.on("data", () => {
      chunks += 1;
    });
    res.writeHead(401, { Connection: "close", "Content-Length": 2 }).end("no");
  });
  const client = await open();
  client.write(HEAD + TINY_CHUNKS);
  for (let i = 0; i < 20 && !client.destroyed; i += 1) client.write(TINY_CHUNKS);
  assert.match(await received(client), /^HTTP\/1.1 401 [\s\S]*no$/);
  assert.ok(chunks < 5000, `${chunks} chunks were parsed`);
});

test("a client that continues to send after the response that ends the connection is disconnected", {
  timeout: 30_000,
}, async (t) => {
  const open = await serve(t, (_req, res) => void res.writeHead(401, { Connection: "close" }).end("no"));
  const client = await open();
  const closed = new Promise((resolve) => client.once("close", resolve));
  client.resume().write(HEAD);
  const sending = setInterval(() => client.write(TINY), 100);
  t.after(() => clearInterval(sending));
  await closed;
});
