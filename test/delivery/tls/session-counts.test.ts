/** Counting sessions for TLS reports: in memory, within bounds, and written once a minute. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { SessionCounts } from "../../../src/delivery/tls/session-counts.ts";
import { DAY_MS } from "../../../src/lib/units.ts";
import type { TlsSessions } from "../../../src/spool/port/tls-sessions.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const DAY = 20_000;
const FROM = "hello@shop.example";
const SUCCESS = { policyType: "sts", resultType: "" } as const;
const EXPIRED = { policyType: "sts", resultType: "certificate-expired" } as const;

function scene(sendingIps = ["192.0.2.1", "2001:db8::1"]) {
  const clock = fakeClock(DAY * DAY_MS + 1000);
  const written: TlsSessions[][] = [];
  const warnings: unknown[] = [];
  const state = { isDown: false };
  const counts = new SessionCounts({
    clock,
    sendingIps,
    reportsFrom: "tls@shop.example",
    log: { warn: (fields: unknown) => void warnings.push(fields) } as never,
    spool: {
      async addTlsSessions(added) {
        if (state.isDown) throw new Error("down");
        written.push([...added]);
      },
    },
  });
  counts.start();
  return { clock, counts, written, warnings, state };
}

const at = (parts: { from?: string; domain?: string; mx?: string; ip?: string } = {}) => ({
  from: FROM,
  domain: "a.example",
  mx: "mx.a.example",
  ip: "198.51.100.9",
  ...parts,
});

it("adds up successes of a domain, and failures of each host", async () => {
  const { clock, counts, written } = scene();
  for (const mx of ["mx1.a.example", "mx2.a.example"]) counts.add(at({ mx }), SUCCESS);
  for (let i = 0; i < 3; i += 1) counts.add(at(), EXPIRED);
  counts.add(at({ ip: "2001:db8::9" }), EXPIRED);
  await clock.advance(59_000);
  assert.deepEqual(written, []);
  await clock.advance(1000);
  const of = { day: DAY, domain: "a.example" };
  assert.deepEqual(written, [
    [
      { ...of, ...SUCCESS, mx: "", receivingIp: "", sendingIp: "", sessions: 2 },
      { ...of, ...EXPIRED, mx: "mx.a.example", receivingIp: "198.51.100.9", sendingIp: "192.0.2.1", sessions: 3 },
      { ...of, ...EXPIRED, mx: "mx.a.example", receivingIp: "2001:db8::9", sendingIp: "2001:db8::1", sessions: 1 },
    ],
  ]);
  await clock.advance(60_000);
  assert.equal(written.length, 1);
});

it("does not count the sessions of reports", async () => {
  const { counts, written } = scene();
  counts.add(at({ from: "TLS@shop.example" }), SUCCESS);
  await counts.stop();
  assert.deepEqual(written, []);
});

it("leaves the own address out where there are several", async () => {
  const { counts, written } = scene(["192.0.2.1", "192.0.2.2"]);
  counts.add(at(), EXPIRED);
  await counts.stop();
  assert.equal(written[0]?.[0]?.sendingIp, "");
});

it("has a bounded number of counts, which are written in parts", async () => {
  const { counts, written } = scene();
  for (let i = 0; i < 10_100; i += 1) counts.add(at({ domain: `d${i}.example` }), SUCCESS);
  counts.add(at({ domain: "d0.example" }), SUCCESS);
  await counts.stop();
  assert.equal(written.flat().length, 10_000);
  assert.equal(Math.max(...written.map(({ length }) => length)), 500);
  assert.equal(written[0]?.[0]?.sessions, 2);
});

it("goes on after a failure of the store", async () => {
  const { clock, counts, written, warnings, state } = scene();
  state.isDown = true;
  counts.add(at(), SUCCESS);
  await clock.advance(60_000);
  assert.equal(warnings.length, 1);
  state.isDown = false;
  counts.add(at(), SUCCESS);
  await clock.advance(60_000);
  assert.deepEqual(
    written.flat().map(({ sessions }) => sessions),
    [1],
  );
});
