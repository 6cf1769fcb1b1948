/** How a node is shown to operators. */
import assert from "node:assert/strict";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { test } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { nodeIdentity } from "../../src/service/node-identity.ts";

test("a node is shown by its name, its address and its version", () => {
  const shown = nodeIdentity({ nodeName: "a", host: "192.0.2.1", port: 8080 });
  assert.deepEqual(shown, { name: "a", address: "192.0.2.1:8080", version: packageJson.version });
  assert.equal(nodeIdentity({ nodeName: "a", host: "2001:db8::1", port: 8080 }).address, "[2001:db8::1]:8080");
  assert.equal(nodeIdentity({ nodeName: "a", host: "192.0.2.1", port: 0 }).address, "192.0.2.1");
});

test("a node that listens on all addresses is shown by one of them, or by the host's name", () => {
  for (const host of ["0.0.0.0", "::"]) {
    const { address } = nodeIdentity({ nodeName: "a", host, port: 0 });
    assert.ok(isIP(address) !== 0 || address === hostname());
    assert.notEqual(address, host);
    assert.ok(!address.startsWith("127."));
  }
});
