/** Which queries share a port, and when it is closed. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import * as packet from "dns-packet";
import { createResolver } from "../../src/dns/stub-resolver.ts";

/** A server that answers queries after `held` of them have come. Returns the client's port of each. */
async function startServer(
  t: TestContext,
  held = 1,
): Promise<{ address: string; ports: number[]; close: () => Promise<void> }> {
  const socket = createSocket("udp4");
  const ports: number[] = [];
  const answers: (() => void)[] = [];
  socket.on("message", (bytes, peer) => {
    ports.push(peer.port);
    const { id = 0, questions = [] } = packet.decode(bytes);
    const name = questions[0]?.name ?? "";
    const reply = packet.encode({
      type: "response",
      id,
      questions,
      answers: [{ type: "A", name, ttl: 0, data: `192.0.2.${name.split(".")[0]}` }],
    });
    answers.push(() => socket.send(reply, peer.port, peer.address));
    if (answers.length >= held) for (const answer of answers.splice(0).reverse()) answer();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  let isOpen = true;
  const close = () => {
    isOpen = false;
    return new Promise<void>((closed) => socket.close(closed));
  };
  t.after(() => (isOpen ? close() : undefined));
  return { address: `127.0.0.1:${socket.address().port}`, ports, close };
}

const found = (record: number) => ({ type: "found", records: [`192.0.2.${record}`] });

describe("a port", () => {
  it("has up to 32 queries, whose replies may come in any order", async (t) => {
    const { address, ports } = await startServer(t, 100);
    const resolver = createResolver({ servers: [address], tries: 0 });
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    assert.deepEqual(await Promise.all(numbers.map((i) => resolver.a(`${i}.test`))), numbers.map(found));
    const uses = ports.map((port) => ports.filter((other) => other === port).length);
    assert.ok(Math.max(...uses) <= 32 && new Set(ports).size >= 4);
  });

  it("is not used again after a query without a reply", async (t) => {
    const { address, ports } = await startServer(t, 2);
    const resolver = createResolver({ servers: [address], timeoutMs: 300, tries: 1 });
    assert.deepEqual(await resolver.a("7.test"), found(7));
    assert.equal(new Set(ports).size, 2);
  });

  it("that is refused fails all its queries, and another one is used later", async (t) => {
    const { address, close } = await startServer(t);
    const resolver = createResolver({ servers: [address], tries: 0 });
    assert.deepEqual(await resolver.a("1.test"), found(1));
    await close();
    const answers = await Promise.all([2, 3].map((i) => resolver.a(`${i}.test`)));
    assert.deepEqual(answers, Array(2).fill({ type: "failure", code: "ECONNREFUSED" }));
    assert.deepEqual(await resolver.a("4.test"), { type: "failure", code: "ECONNREFUSED" });
  });
});
