/** Idle clients keep nobody out. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { boundConnections } from "../../src/http/connections.ts";

const MOST = 3;

async function serve(t: TestContext) {
  const held: (() => void)[] = [];
  const server = createServer((req, res) => {
    if (req.url === "/held") held.push(() => res.end("late"));
    else res.end("ok");
  });
  boundConnections(server, "connection", MOST);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  return { open, held };
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
