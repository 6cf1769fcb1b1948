/** When a process has been in contact with the database for long enough to judge the leases of others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Contact } from "../../../../../src/spool/engine/postgres/connection/database-contact.ts";

const DATABASE_AHEAD_MS = 5_000_000;

/** A reply at the middle of its time; the database's clock is ahead by a constant and `leapMs`. */
function reply(sentMs: number, { durationMs = 10, leapMs = 0 } = {}) {
  return { sentMs, receivedMs: sentMs + durationMs, databaseMs: sentMs + durationMs / 2 + DATABASE_AHEAD_MS + leapMs };
}

function contactUntil(ms: number): Contact {
  const contact = new Contact();
  for (let sentMs = 0; sentMs <= ms; sentMs += 1500) contact.heard(reply(sentMs));
  return contact;
}

describe("the contact with the database", () => {
  it("outlasts the leases after as long as a lease takes", () => {
    assert.equal(new Contact().outlastsLeases, false);
    assert.equal(contactUntil(4500).outlastsLeases, false);
    assert.equal(contactUntil(6000).outlastsLeases, true);
  });

  it("begins again after a lost connection", () => {
    const contact = contactUntil(9000);
    contact.lost();
    assert.equal(contact.outlastsLeases, false);
    contact.heard(reply(9500));
    contact.heard(reply(15_400));
    assert.equal(contact.outlastsLeases, false);
    contact.heard(reply(15_500));
    assert.equal(contact.outlastsLeases, true);
  });

  it("begins again after this process was suspended", () => {
    const contact = contactUntil(9000);
    contact.heard(reply(15_001));
    assert.equal(contact.outlastsLeases, false);
  });

  it("begins again after the database's clock has leapt forward", () => {
    const contact = contactUntil(9000);
    contact.heard(reply(10_500, { leapMs: 600 }));
    assert.equal(contact.outlastsLeases, false);
  });

  it("goes on when the clock is slewed, leaps back, or a reply takes long", () => {
    for (const options of [{ leapMs: 400 }, { leapMs: -60_000 }, { durationMs: 1300 }]) {
      const contact = contactUntil(9000);
      contact.heard(reply(10_500, options));
      assert.equal(contact.outlastsLeases, true, JSON.stringify(options));
    }
  });
});
