/** The limits of a destination. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LimitsOfDestinations } from "../../../src/delivery/routing/connection-limits.ts";
import { limitsByReceiver } from "../../../src/receivers/limits.ts";

const limitsWith = (configured: [string, number][] = []): LimitsOfDestinations =>
  new LimitsOfDestinations(limitsByReceiver(new Map(configured)));

const NONE = { connections: null, messagesPerConnection: null, messagesPerMinute: null, pauseSeconds: null };

test("limits are those of the receivers' profiles, the least where there are several", () => {
  const limits = limitsWith();
  assert.deepEqual(limits.of("*.gmail"), { ...NONE, connections: 5, messagesPerConnection: 50 });
  assert.deepEqual(limits.of("*.yahoo"), { ...NONE, messagesPerConnection: 20 });
  assert.deepEqual(limits.of("*.example.com"), NONE);
  assert.deepEqual(limits.of("*.example.com+*.icloud+*.yahoo"), { ...NONE, connections: 10, messagesPerConnection: 5 });
});

test("DESTINATION_LIMITS replaces a profile's connections, by the receiver's domain or one of its hosts", () => {
  const limits = limitsWith([
    ["google.com", 40],
    ["mx.small.example", 3],
    ["other.small.example", 2],
    ["127.0.0.1:2525", 1],
    ["outlook.com", 7],
  ]);
  assert.deepEqual(limits.of("*.gmail"), { ...NONE, connections: 40, messagesPerConnection: 50 });
  assert.equal(limits.of("*.small.example").connections, 2);
  assert.equal(limits.of("127.0.0.1:2525").connections, 1);
  assert.deepEqual([limits.of("*.outlook").connections, limits.of("*.microsoft-365").connections], [7, 7]);
  assert.equal(limits.of("*.gmail+*.small.example").connections, 2);
});

test("what an operator sets replaces both, from then on", () => {
  const limits = limitsWith([["google.com", 40]]);
  assert.equal(limits.of("*.gmail").connections, 40);
  limits.set(
    new Map([
      ["gmail", { connections: 3 }],
      ["example.com", { messagesPerConnection: 2, pauseSeconds: 60 }],
      ["icloud", { pauseSeconds: 900 }],
    ]),
  );
  assert.deepEqual(limits.of("*.gmail"), { ...NONE, connections: 3, messagesPerConnection: 50 });
  assert.deepEqual(limits.of("*.example.com"), { ...NONE, messagesPerConnection: 2, pauseSeconds: 60 });
  assert.equal(limits.of("*.example.com+*.icloud").pauseSeconds, 900, "the longest pause");
  limits.set(new Map());
  assert.equal(limits.of("*.gmail").connections, 40);
});

test("two connections in a row that end after the same number of messages show a limit, unless an operator has set one", () => {
  const limits = limitsWith();
  const messagesAt = (destination: string): number | null => limits.of(destination).messagesPerConnection;
  for (const messages of [7, 6, 7]) limits.noteEnd("*.example.com", messages);
  assert.equal(messagesAt("*.example.com"), null);
  limits.noteEnd("*.example.com", 7);
  assert.equal(messagesAt("*.example.com"), 7);
  assert.equal(messagesAt("*.example.net"), null, "of another destination");
  limits.noteEnd("*.example.com", 3);
  assert.equal(messagesAt("*.example.com"), null);
  for (let i = 0; i < 2; i += 1) limits.noteEnd("*.gmail", 20);
  assert.equal(messagesAt("*.gmail"), 20, "below the profile's");
  for (let i = 0; i < 2; i += 1) limits.noteEnd("*.icloud", 9);
  assert.equal(messagesAt("*.icloud"), 5, "never above it");
  for (let i = 0; i < 9; i += 1) limits.noteEnd("*.example.org", 1);
  assert.equal(messagesAt("*.example.org"), null, "a host that stops says nothing");
  limits.set(new Map([["gmail", { messagesPerConnection: 80 }]]));
  assert.equal(messagesAt("*.gmail"), 80);
});
