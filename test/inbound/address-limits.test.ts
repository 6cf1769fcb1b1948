/** What one address may take: connections, messages and octets; others are not affected. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AddressLimits } from "../../src/inbound/address-limits.ts";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";

const LIMITS = { connectionsMax: 2, messagesPerMinute: 6, octetsPerMinute: 6000 };

function limits(): { clock: FakeClock; limits: AddressLimits } {
  const clock = fakeClock();
  return { clock, limits: new AddressLimits(clock, LIMITS) };
}

const isReply = (code: number) => (error: Error) => error instanceof SmtpRejection && error.responseCode === code;

describe("connections", () => {
  it("are limited by address, and one that has closed leaves its place", () => {
    const { limits: all } = limits();
    const leave = [all.connect("192.0.2.1"), all.connect("192.0.2.1")];
    assert.throws(() => all.connect("192.0.2.1"), isReply(421));
    all.connect("192.0.2.2");
    leave[0]?.();
    all.connect("192.0.2.1");
    assert.throws(() => all.connect("192.0.2.1"), isReply(421));
  });

  it("of one IPv6 network count together", () => {
    const { limits: all } = limits();
    all.connect("2001:db8::1");
    all.connect("2001:db8::ffff:2");
    assert.throws(() => all.connect("2001:db8:0:0:3::"), isReply(421));
    all.connect("2001:db8:0:1::1");
  });

  it("have a limit by default", () => {
    const all = new AddressLimits(fakeClock());
    for (let i = 0; i < 20; i += 1) all.connect("192.0.2.1");
    assert.throws(() => all.connect("192.0.2.1"), isReply(421));
  });
});

describe("messages", () => {
  it("are limited in number, and allowed again after a while", async () => {
    const { clock, limits: all } = limits();
    for (let i = 0; i < 6; i += 1) all.begin("192.0.2.1");
    assert.throws(() => all.begin("192.0.2.1"), isReply(451));
    all.begin("192.0.2.2");
    await clock.advance(9999);
    assert.throws(() => all.begin("192.0.2.1"), isReply(451));
    await clock.advance(1);
    all.begin("192.0.2.1");
    assert.throws(() => all.begin("192.0.2.1"), isReply(451));
  });

  it("wait for the octets of earlier ones", async () => {
    const { clock, limits: all } = limits();
    all.begin("192.0.2.1");
    all.received("192.0.2.1", 12_000);
    assert.throws(() => all.begin("192.0.2.1"), isReply(451));
    all.begin("192.0.2.2");
    await clock.advance(60_000);
    assert.throws(() => all.begin("192.0.2.1"), isReply(451));
    await clock.advance(11);
    all.begin("192.0.2.1");
  });
});
