/** Idle connections: reuse for each origin, and the limit on their number. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Connections } from "../../src/webhooks/connections.ts";

async function setUp(t: TestContext, idleTotalMax: number) {
  const server = createServer((_, response) => void response.end("ok"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hosts: string[] = [];
  const connections = new Connections({
    lookup: (host, _, answer) => {
      hosts.push(host);
      answer(null, [{ address: "127.0.0.1", family: 4 }]);
    },
    idleTotalMax,
  });
  t.after(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });
  /** Makes a request and reads its response. Returns its connection. */
  async function get(host: string, agent: "keepAlive" | "fresh" = "keepAlive"): Promise<Socket> {
    const outgoing = request({ host, port, agent: connections.agents(false)[agent] });
    outgoing.end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    response.resume();
    const [socket] = [response.socket];
    await once(response, "end");
    await new Promise((resolve) => setImmediate(resolve));
    return socket;
  }
  return { get, hosts };
}

test("a connection is used again for the same host; one for a single request is not", async (t) => {
  const { get, hosts } = await setUp(t, 10);
  const first = await get("a.example");
  assert.equal(await get("a.example"), first);
  assert.notEqual(await get("b.example"), first);
  const fresh = await get("a.example", "fresh");
  assert.notEqual(fresh, first);
  assert.equal(fresh.destroyed, true);
  assert.deepEqual(hosts, ["a.example", "b.example", "a.example"]);
});

test("at the limit, the longest idle connection is closed", async (t) => {
  const { get } = await setUp(t, 2);
  const [a, b] = [await get("a.example"), await get("b.example")];
  const c = await get("c.example");
  assert.deepEqual([a.destroyed, b.destroyed, c.destroyed], [true, false, false]);
  assert.equal(await get("b.example"), b);
  assert.equal(await get("c.example"), c);
});

test("closing closes idle connections", async () => {
  const server = createServer((_, response) => void response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connections = new Connections({ lookup: () => assert.fail("an address needs no look-up") });
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ host: "127.0.0.1", port, agent: connections.agents(false).keepAlive });
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  connections.close();
  server.close();
  await once(server, "close");
});
