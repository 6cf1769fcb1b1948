/** What an attempt met: the trouble that explains why a destination is closed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadObservations } from "../../../src/delivery/throttle/load-observations.ts";

const CONTEXT = { tls: null, notes: [] };
const reply = (code: number, message: string) => ({ code, enhanced_code: null, message });

test("the last refusal for load is kept with its cause", () => {
  const observations = new LoadObservations();
  const met = () => [observations.signal, observations.trouble?.cause, observations.trouble?.text];
  assert.deepEqual(met(), ["neutral", undefined, undefined]);
  observations.addResults("192.0.2.1", [{ type: "reply", stage: "rcpt", reply: reply(550, "no such user") }]);
  assert.deepEqual(met(), ["neutral", undefined, undefined], "a reply about one mailbox closes nothing");
  observations.addDeadAddress("ECONNREFUSED");
  assert.deepEqual(met(), ["neutral", "unreachable", "ECONNREFUSED"]);
  const cut = {
    type: "unreachable",
    stage: "greeting",
    error: "connection closed",
    ended: "lost",
    ...CONTEXT,
  } as const;
  observations.addFailure("192.0.2.2", cut);
  assert.deepEqual(met(), ["refused", "connection_lost", "connection closed"]);
  observations.addFailure("192.0.2.3", { ...cut, stage: "connect", error: "ETIMEDOUT" });
  assert.equal(met()[1], "connection_lost", "what another address did explains more");
  observations.addFailure("192.0.2.2", { ...cut, error: "no reply within 300000 ms", ended: "timeout" });
  assert.equal(met()[1], "timeout");
  const brokenTls = { type: "tls_failed", stage: "ehlo", error: "closed", ended: "lost", ...CONTEXT } as const;
  observations.addFailure("192.0.2.2", brokenTls);
  assert.equal(met()[1], "connection_lost", "TLS that breaks is a lost connection");
  observations.addFailure("192.0.2.2", { ...cut, error: "no reply within 300000 ms", ended: "timeout" });
  observations.addResults("192.0.2.2", [{ type: "lost", stage: "final_dot", error: "reset", isLocal: true }]);
  assert.equal(met()[1], "timeout", "an error of this server says nothing");
  observations.addResults("192.0.2.2", [{ type: "protocol_error", stage: "mail", error: "not a reply" }]);
  assert.equal(met()[1], "malformed_reply");
  observations.addFailure("192.0.2.2", {
    type: "refused",
    stage: "greeting",
    reply: reply(554, "go away"),
    ...CONTEXT,
  });
  assert.equal(met()[1], "refused");
  observations.addResults("192.0.2.2", [{ type: "reply", stage: "mail", reply: reply(450, "too many messages") }]);
  assert.deepEqual(met(), ["refused", "rate_limited", "450 too many messages"]);
});
