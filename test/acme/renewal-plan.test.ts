import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { failureAfter, type PlanInput, planOrder, renewalMs } from "../../src/acme/renewal-plan.ts";
import type { CertificateFailure } from "../../src/spool/port/certificate-state.ts";
import { selfSigned } from "../support/self-signed.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FROM_MS = Date.parse("2026-03-01T00:00:00Z");
const DIRECTORY = "https://acme.test/dir";
const PAIR = selfSigned("a.test", { fromMs: FROM_MS, untilMs: FROM_MS + 90 * DAY_MS });

interface Case {
  days?: number;
  names?: string[] | null;
  refused?: Record<string, number>;
  waitingHours?: number;
  directory?: string;
}

/** The plan for a.test and b.test, `days` after the certificate's beginning; refused names wait for these hours. */
function plan({ days = 0, names = null, refused = {}, waitingHours, directory = DIRECTORY }: Case) {
  const nowMs = FROM_MS + days * DAY_MS;
  const failure = (hours: number): CertificateFailure => ({
    count: 1,
    atMs: nowMs - 1,
    nextAtMs: nowMs + hours * HOUR_MS,
    detail: "",
  });
  const input: PlanInput = {
    certificate: names === null ? null : { ...PAIR, names, directory: DIRECTORY },
    state: {
      certificate: null,
      refused: Object.fromEntries(Object.entries(refused).map(([name, hours]) => [name, failure(hours)])),
      order: waitingHours === undefined ? null : failure(waitingHours),
    },
    wanted: ["a.test", "b.test"],
    directory,
    nowMs,
  };
  return planOrder(input).names;
}

const BOTH = ["a.test", "b.test"];

describe("an order", () => {
  it("is made without a certificate, and with one of another authority", () => {
    assert.deepEqual(plan({}), BOTH);
    assert.deepEqual(plan({ names: BOTH }), []);
    assert.deepEqual(plan({ names: BOTH, directory: "https://other.test/dir" }), BOTH);
  });

  it("is made at two thirds of the certificate's life, give or take a day and a half", () => {
    const days = (renewalMs(PAIR.cert) - FROM_MS) / DAY_MS;
    assert.ok(days >= 58.5 && days <= 61.5, String(days));
    assert.deepEqual(plan({ names: BOTH, days: days - 0.01 }), []);
    assert.deepEqual(plan({ names: BOTH, days: days + 0.01 }), BOTH);
    assert.equal(renewalMs(PAIR.cert), renewalMs(PAIR.cert));
  });

  it("waits after a failure, but not for a time that only a wrong clock can have stored", () => {
    assert.deepEqual(plan({ waitingHours: 1 }), []);
    assert.deepEqual(plan({ waitingHours: -1 }), BOTH);
    assert.deepEqual(plan({ waitingHours: 9 * 24 }), BOTH);
  });

  it("leaves out a name that was not validated until it is tried again", () => {
    assert.deepEqual(plan({ refused: { "b.test": 1 } }), ["a.test"]);
    assert.deepEqual(plan({ refused: { "b.test": -1 } }), BOTH);
    assert.deepEqual(plan({ names: ["a.test"], refused: { "b.test": 1 } }), []);
    assert.deepEqual(plan({ names: ["a.test"], refused: { "b.test": -1 } }), BOTH);
    assert.deepEqual(plan({ names: ["a.test"], refused: { "b.test": 1 }, days: 62 }), ["a.test"]);
  });

  it("takes no name away from a valid certificate before its last ninth", () => {
    assert.deepEqual(plan({ names: BOTH, refused: { "b.test": 1 }, days: 62 }), []);
    assert.deepEqual(plan({ names: BOTH, refused: { "b.test": 1 }, days: 80.1 }), ["a.test"]);
  });
});

describe("a failure", () => {
  const after = (before: CertificateFailure | null, retryAfterMs: number | null = null, chance = 0.5) =>
    failureAfter(before, { detail: "x".repeat(600), atMs: FROM_MS, retryAfterMs, chance });

  it("is followed by longer and longer gaps", () => {
    let failure: CertificateFailure | null = null;
    const gaps = [];
    for (let i = 0; i < 6; i += 1) {
      failure = after(failure);
      gaps.push((failure.nextAtMs - FROM_MS) / HOUR_MS);
    }
    assert.deepEqual(gaps, [0.25, 1, 4, 8, 8, 8]);
    assert.equal(failure?.count, 6);
    assert.equal(failure?.detail.length, 500);
  });

  it("waits for as long as the authority demands, with jitter otherwise", () => {
    assert.equal(after(null, 5 * HOUR_MS).nextAtMs, FROM_MS + 5 * HOUR_MS);
    assert.equal(after(null, 1000).nextAtMs, FROM_MS + 0.25 * HOUR_MS);
    assert.ok(after(null, null, 0).nextAtMs < after(null, null, 0.99).nextAtMs);
  });
});
