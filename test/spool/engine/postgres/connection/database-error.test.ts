/** What errors of the server, of the network and of the driver mean, and what /readyz may show of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asSpoolError, endsConnection } from "../../../../../src/spool/engine/postgres/connection/database-error.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";

const fromServer = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: "ERROR" });
const ofSystem = (code: string): Error => Object.assign(new Error(`connect ${code} 192.0.2.1:5432`), { code });

test("the reason of an unavailable database shows no address and no name of a user", () => {
  const reasons: [Error, string][] = [
    [ofSystem("ECONNREFUSED"), "ECONNREFUSED"],
    [ofSystem("EAI_AGAIN"), "EAI_AGAIN"],
    [
      fromServer("28000", 'no pg_hba.conf entry for host "192.0.2.7", user "shop", database "mail", no encryption'),
      "it refuses the login (28000)",
    ],
    [fromServer("28P01", 'password authentication failed for user "shop"'), "it refuses the login (28P01)"],
    [fromServer("53100", "could not extend file"), "could not extend file (53100)"],
  ];
  for (const [error, reason] of reasons) {
    const known = asSpoolError(error);
    assert.ok(known instanceof SpoolUnavailable, error.message);
    assert.equal(known.message, `the database is unavailable: ${reason}`);
  }
});

test("an error that another try cannot change is no outage", () => {
  for (const error of [fromServer("42P01", "no such table"), fromServer("23505", "duplicate key"), new TypeError("x")])
    assert.equal(asSpoolError(error), error);
});

test("a connection is used again unless it is lost, or the server refuses all writes on it", () => {
  const ended = [
    ofSystem("ECONNRESET"),
    new Error("Connection terminated unexpectedly"),
    new Error("Query read timeout"),
    fromServer("57P01", "terminating connection due to administrator command"),
    fromServer("25P03", "terminating connection due to idle-in-transaction timeout"),
    fromServer("25006", "cannot execute UPDATE in a read-only transaction"),
  ];
  const kept = [
    fromServer("53100", "could not extend file"),
    fromServer("57014", "canceling statement due to statement timeout"),
    fromServer("40P01", "deadlock detected"),
    new SpoolUnavailable("the lease of some recipients was lost"),
    new RangeError("not of the database"),
  ];
  for (const error of ended) assert.ok(endsConnection(error), error.message);
  for (const error of kept) assert.ok(!endsConnection(error), error.message);
});
