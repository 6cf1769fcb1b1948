/** The limits of a destination's connections. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationLimits } from "../../../src/delivery/routing/connection-limits.ts";

test("limits are those of the receivers' profiles, the least where there are several", () => {
  const limits = destinationLimits(new Map());
  assert.deepEqual(limits("*.gmail"), { connections: 5, messagesPerConnection: 50 });
  assert.deepEqual(limits("*.yahoo"), { connections: null, messagesPerConnection: 20 });
  assert.deepEqual(limits("*.example.com"), { connections: null, messagesPerConnection: null });
  assert.deepEqual(limits("*.example.com+*.icloud+*.yahoo"), { connections: 10, messagesPerConnection: 5 });
});

test("DESTINATION_LIMITS replaces a profile's connections, by the receiver's domain or one of its hosts", () => {
  const limits = destinationLimits(
    new Map([
      ["google.com", 40],
      ["mx.small.example", 3],
      ["other.small.example", 2],
      ["127.0.0.1:2525", 1],
      ["outlook.com", 7],
    ]),
  );
  assert.deepEqual(limits("*.gmail"), { connections: 40, messagesPerConnection: 50 });
  assert.equal(limits("*.small.example").connections, 2);
  assert.equal(limits("127.0.0.1:2525").connections, 1);
  assert.deepEqual([limits("*.outlook").connections, limits("*.microsoft-365").connections], [7, 7]);
  assert.equal(limits("*.gmail+*.small.example").connections, 2);
});
