import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { startListening } from "../../src/lib/listening.ts";

const HERE = { host: "127.0.0.1", backlog: 10 };

test("a port in use rejects; a connection that cannot be accepted later is no error of the process", async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await startListening(server, { ...HERE, port: 0 });
  const { port } = server.address() as AddressInfo;
  await assert.rejects(startListening(createServer(), { ...HERE, port }), { code: "EADDRINUSE" });
  // As Node reports the error of accept(2).
  for (let i = 0; i < 3; i += 1) server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
  assert.ok(server.listening);
});
