import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { ownAddresses } from "../../src/dns/own-addresses.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("sending addresses and those of the interfaces are the host's own, in any notation", () => {
  const isOwn = ownAddresses({
    clock: fakeClock(),
    sendingIps: ["8.8.8.8", "2606:4700::1111"],
    interfaceAddresses: () => ["9.9.9.9", "fe80::1"],
  });
  const own = [
    "8.8.8.8",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2606:4700:0:0::1111",
    "2606:4700::0.0.17.17",
    "9.9.9.9",
  ];
  for (const address of [...own, "fe80::1%eth0"]) assert.equal(isOwn(address), true, address);
  for (const address of ["8.8.8.9", "2606:4700::1112", "not an address"]) assert.equal(isOwn(address), false, address);
});

test("the system's interfaces are read again after a few seconds", async () => {
  const clock = fakeClock();
  const interfaces = ["9.9.9.9"];
  const isOwn = ownAddresses({ clock, sendingIps: [], interfaceAddresses: () => interfaces });
  assert.equal(isOwn("9.9.9.9"), true);
  interfaces[0] = "9.9.9.10";
  await clock.advance(5000);
  assert.deepEqual([isOwn("9.9.9.9"), isOwn("9.9.9.10")], [false, true]);
});

test("by default the interfaces are the system's", () => {
  const isOwn = ownAddresses({ clock: fakeClock(), sendingIps: [] });
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  assert.ok(addresses.length > 0);
  for (const { address } of addresses) assert.equal(isOwn(address), true, address);
});
