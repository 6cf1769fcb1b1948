/** How many jobs a claim may lease from the database, with what is held and what was leased. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaimRoom } from "../../../../../src/spool/engine/postgres/mail/claim-room.ts";

/** a.example and b.example have one destination, whose name is mx.example. */
const of = (domain: string, accountId = "acc_a") => ({ accountId, domain });

function roomOf(allowance: Record<string, number>, held: Record<string, number> = {}): ClaimRoom {
  const destinations = { of: (domain: string) => (/^[ab]\./.test(domain) ? "mx.example" : null) };
  return new ClaimRoom({ request: { allowance, perDomain: 5 }, destinations, held: () => Object.entries(held) });
}

describe("the room of a claim", () => {
  it("is the limit of each domain without what is held", () => {
    const room = roomOf({}, { "c.example": 2, "d.example": 7 });
    assert.deepEqual(
      ["c.example", "d.example", "e.example"].map((domain) => room.of(of(domain))),
      [3, 0, 5],
    );
  });

  it("is some more for a domain with a limit of its own, unless that many are held", () => {
    const room = roomOf({ "c.example": 2, "d.example": 2, "e.example": 0 }, { "c.example": 1, "d.example": 2 });
    assert.deepEqual(
      ["c.example", "d.example", "e.example"].map((domain) => room.of(of(domain))),
      [9, 0, 0],
    );
  });

  it("is shared by the domains of a destination", () => {
    const room = roomOf({ "mx.example": 2 });
    assert.deepEqual([room.of(of("a.example")), room.of(of("b.example"))], [5, 5]);
    room.take(of("a.example"), 4);
    room.take(of("b.example"), 4);
    assert.deepEqual([room.of(of("a.example")), room.of(of("b.example")), room.of(of("c.example"))], [1, 1, 5]);
    room.take(of("a.example"), 3);
    assert.equal(room.of(of("b.example")), 0);
  });

  it("counts what is held of all domains of a destination", () => {
    const room = roomOf({ "mx.example": 2 }, { "a.example": 1, "b.example": 1 });
    assert.equal(room.of(of("a.example")), 0);
  });

  it("is the smaller one of the domain's and of its destination's", () => {
    const room = roomOf({ "a.example": 0, "mx.example": 9 });
    assert.deepEqual([room.of(of("a.example")), room.of(of("b.example"))], [0, 5]);
  });

  it("grows by what was not leased after all", () => {
    const room = roomOf({});
    room.take(of("a.example"), 5);
    room.take(of("a.example"), -2);
    assert.deepEqual([room.of(of("a.example")), room.of(of("b.example"))], [2, 2]);
  });

  it("has a limit for the first contacts of an account, and none for mail to prompt destinations", () => {
    const destinations = { of: (domain: string) => (domain === "known.example" ? "mx.example" : null) };
    const firstContacts = { prompt: ["mx.example"], perAccount: 2, accountAllowance: { acc_b: 0 } };
    const room = new ClaimRoom({
      request: { allowance: {}, perDomain: 5, firstContacts },
      destinations,
      held: () => [],
    });
    assert.deepEqual([room.of(of("known.example")), room.of(of("new.example"))], [5, 2]);
    room.take(of("other.example"), 1);
    assert.deepEqual([room.of(of("known.example")), room.of(of("new.example"))], [5, 1]);
    assert.deepEqual([room.of(of("known.example", "acc_b")), room.of(of("new.example", "acc_b"))], [5, 0]);
  });
});
