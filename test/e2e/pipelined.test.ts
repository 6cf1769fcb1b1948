/**
 * A flood of requests on few connections whose responses are not read: the connections are closed, and other clients
 * are not affected.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { startWorld } from "../support/world.ts";

const CLIENTS = 20;
const REQUESTS = 20_000;

test("closes a connection that sends requests without reading responses", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const flood = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS);
  const clients = Array.from({ length: CLIENTS }, () => connect({ host: "127.0.0.1", port: world.service.port }));
  const cut = clients.map((client) => {
    client.on("error", () => {});
    client.write(flood);
    return new Promise((resolve) => client.once("close", resolve));
  });
  await Promise.all(cut);
  const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
  const count = Number(/^postrider_requests_refused_total\{code="not_found"\} (\d+)$/m.exec(metrics)?.[1]);
  assert.ok(count > 0 && count <= CLIENTS * 33, `${count} requests were answered`);
});
