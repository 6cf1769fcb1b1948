/** Unread responses hold a reservation of a bounded budget until they are read or their connection is closed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { reserveForResponse } from "../../src/lib/response-memory.ts";
import { SharedBudget } from "../../src/lib/shared-budget.ts";

const MB = 1024 * 1024;

/** Receives a request without responding; returns the response object and the client. */
async function receiveRequest(t: TestContext) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => {
    client.destroy();
    server.close().closeAllConnections();
  });
  client.on("error", () => {});
  client.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, res] = (await once(server, "request")) as [unknown, ServerResponse];
  return { client, res };
}

test("an unread response stays reserved; a read or closed one is released", async (t) => {
  const budget = new SharedBudget({ max: 100 * MB, share: 0.5 });
  const [read, closed] = [await receiveRequest(t), await receiveRequest(t)];
  for (const { res } of [read, closed]) {
    assert.equal(reserveForResponse(budget, res, { holder: "a", sizeBytes: 20 * MB }), "reserved");
    res.end(Buffer.alloc(20 * MB));
  }
  const third = await receiveRequest(t);
  assert.equal(reserveForResponse(budget, third.res, { holder: "a", sizeBytes: 20 * MB }), "share_full");
  assert.equal(reserveForResponse(budget, third.res, { holder: "b", sizeBytes: 40 * MB }), "reserved");
  assert.equal(reserveForResponse(budget, third.res, { holder: "c", sizeBytes: 40 * MB }), "full");
  assert.equal(budget.reserved, 80 * MB);
  assert.equal(
    reserveForResponse(budget, third.res, { holder: "a", sizeBytes: 1000 }),
    "reserved",
    "short responses need no reservation",
  );

  const bothClosed = [once(read.res, "close"), once(closed.res, "close")];
  read.client.resume();
  closed.client.destroy();
  await Promise.all(bothClosed);
  assert.equal(budget.reserved, 40 * MB);
});
