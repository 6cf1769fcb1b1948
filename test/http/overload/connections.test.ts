/** Idle clients keep nobody out. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { boundConnections } from "../../../src/http/overload/connections.ts";
import { type KeyAndCertificate, selfSigned } from "../../support/self-signed.ts";

const MOST = 3;

async function serve(t: TestContext, certificate?: KeyAndCertificate) {
  const held: (() => void)[] = [];
  const answer: RequestListener = (req, res) => {
    if (req.url === "/held") held.push(() => res.end("late"));
    else if (req.url === "/body") req.resume().on("end", () => res.end("body"));
    else res.end("ok");
  };
  const server = certificate === undefined ? createServer(answer) : createTlsServer(certificate, answer);
  const event = certificate === undefined ? "connection" : "secureConnection";
  const { cutHandshakes } = boundConnections(server, event, MOST);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    cutHandshakes();
    // Would never end with a connection left, and so neither would the test.
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

test("the one that has been idle for longest goes, those with requests stay", async (t) => {
  const { open, held } = await serve(t);
  const busy = await open();
  busy.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  const [first, second] = [await open(), await open()];
  assert.equal(await ask(first, "/"), "ok");
  const third = await open();
  await closed(second);
  assert.equal(await ask(third, "/"), "ok");
  assert.equal(await ask(first, "/"), "ok");
  const answer = once(busy, "data");
  for (const end of held) end();
  assert.match(String((await answer)[0]), /late$/);
});

test("where nobody is idle the new one goes", async (t) => {
  const { open, held } = await serve(t);
  const busy = [await open(), await open(), await open()];
  for (const socket of busy) socket.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  while (held.length < MOST) await new Promise((resolve) => setImmediate(resolve));
  await closed(await open());
  const answers = busy.map((socket) => once(socket, "data"));
  for (const end of held) end();
  for (const [chunk] of await Promise.all(answers)) assert.match(String(chunk), /late$/);
});

test("where nobody is idle, the one whose body has been coming for longest goes; who waits for an answer stays", async (t) => {
  const { open, held } = await serve(t);
  const [waiting, slow, slower] = [await open(), await open(), await open()];
  waiting.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const part = "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n";
  for (const socket of [slow, slower]) {
    socket.write(part);
    // Its "100 Continue" says that the request is known.
    await once(socket, "data");
  }
  const fresh = await open();
  await closed(slow);
  assert.equal(await ask(fresh, "/"), "ok");
  slower.write("0123456789");
  assert.match(String((await once(slower, "data"))[0]), /body$/);
  const answer = once(waiting, "data");
  for (const end of held) end();
  assert.match(String((await answer)[0]), /late$/);
});

test("a TLS handshake that does not go on holds no place", async (t) => {
  const { open, openTls } = await serve(t, selfSigned("localhost"));
  const kept = await openTls();
  assert.equal(await ask(kept, "/"), "ok");
  const stuck = [await open(), await open(), await open()];
  // It was the one that had been quiet for longest.
  await closed(kept);
  const fresh = await openTls();
  await closed(stuck[0] as Socket);
  assert.equal(await ask(fresh, "/"), "ok");
  for (let i = 0; i < 3 * MOST; i += 1) await open();
  const last = await openTls();
  assert.equal(await ask(last, "/"), "ok");
});

test("who sends on and on without waiting for answers is cut off, after as many as may be under way", async (t) => {
  const { open, held } = await serve(t);
  const [hasty, patient] = [await open(), await open()];
  patient.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n".repeat(32));
  while (held.length < 32) await new Promise((resolve) => setImmediate(resolve));
  hasty.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n".repeat(33));
  await closed(hasty);
  let said = "";
  patient.on("data", (chunk) => {
    said += chunk;
  });
  for (const end of held) end();
  while (said.split("late").length <= 32) await once(patient, "data");
  assert.equal(await ask(patient, "/"), "ok");
});
