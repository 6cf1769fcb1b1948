/** The connection limit: which connection is closed, and the limit of pipelined requests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { boundConnections } from "../../../src/http/overload/connections.ts";
import { type KeyAndCertificate, selfSigned } from "../../support/self-signed.ts";

const CONNECTIONS_MAX = 3;

async function serve(t: TestContext, certificate?: KeyAndCertificate) {
  const held: (() => void)[] = [];
  const listener: RequestListener = (req, res) => {
    if (req.url === "/held") held.push(() => res.end("late"));
    else if (req.url === "/body") req.resume().on("end", () => res.end("body"));
    else res.end("ok");
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  const event = certificate === undefined ? "connection" : "secureConnection";
  const { cutHandshakes } = boundConnections(server, event, CONNECTIONS_MAX);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    cutHandshakes();
    // Never ends while a connection is open.
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const openTls = async (): Promise<Socket> => {
    const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
    socket.on("error", () => {});
    await once(socket, "secureConnect");
    return socket;
  };
  return { open, openTls, held };
}

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [chunk] = await once(socket, "data");
  return String(chunk).slice(-4).trim();
}

const closed = (socket: Socket): Promise<unknown> => (socket.closed ? Promise.resolve() : once(socket, "close"));

test("the longest-idle connection is closed; those with requests are not", async (t) => {
  const { open, held } = await serve(t);
  const busy = await open();
  busy.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  const [first, second] = [await open(), await open()];
  assert.equal(await ask(first, "/"), "ok");
  const third = await open();
  await closed(second);
  assert.equal(await ask(third, "/"), "ok");
  assert.equal(await ask(first, "/"), "ok");
  const response = once(busy, "data");
  for (const end of held) end();
  assert.match(String((await response)[0]), /late$/);
});

test("if all connections wait for a response, the new one is closed", async (t) => {
  const { open, held } = await serve(t);
  const busy = [await open(), await open(), await open()];
  for (const socket of busy) socket.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  while (held.length < CONNECTIONS_MAX) await new Promise((resolve) => setImmediate(resolve));
  await closed(await open());
  const responses = busy.map((socket) => once(socket, "data"));
  for (const end of held) end();
  for (const [chunk] of await Promise.all(responses)) assert.match(String(chunk), /late$/);
});

test("if none is idle, the one whose body has been arriving for longest is closed; those that wait for a response are not", async (t) => {
  const { open, held } = await serve(t);
  const [waiting, slow, slower] = [await open(), await open(), await open()];
  waiting.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const part = "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n";
  for (const socket of [slow, slower]) {
    socket.write(part);
    // After its "100 Continue", the request is running.
    await once(socket, "data");
  }
  const fresh = await open();
  await closed(slow);
  assert.equal(await ask(fresh, "/"), "ok");
  slower.write("0123456789");
  assert.match(String((await once(slower, "data"))[0]), /body$/);
  const response = once(waiting, "data");
  for (const end of held) end();
  assert.match(String((await response)[0]), /late$/);
});

test("stalled TLS handshakes do not keep new connections out", async (t) => {
  const { open, openTls } = await serve(t, selfSigned("localhost"));
  const kept = await openTls();
  assert.equal(await ask(kept, "/"), "ok");
  const stuck = [await open(), await open(), await open()];
  // It has been idle for longest.
  await closed(kept);
  const fresh = await openTls();
  await closed(stuck[0] as Socket);
  assert.equal(await ask(fresh, "/"), "ok");
  for (let i = 0; i < 3 * CONNECTIONS_MAX; i += 1) await open();
  const last = await openTls();
  assert.equal(await ask(last, "/"), "ok");
});

test("a connection with more pipelined requests than allowed is closed", async (t) => {
  const { open, held } = await serve(t);
  const [hasty, patient] = [await open(), await open()];
  patient.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n".repeat(32));
  while (held.length < 32) await new Promise((resolve) => setImmediate(resolve));
  hasty.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n".repeat(33));
  await closed(hasty);
  let received = "";
  patient.on("data", (chunk) => {
    received += chunk;
  });
  for (const end of held) end();
  while (received.split("late").length <= 32) await once(patient, "data");
  assert.equal(await ask(patient, "/"), "ok");
});
