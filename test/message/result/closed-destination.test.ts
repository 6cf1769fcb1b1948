/** What a closed destination did, in the words that the dashboard, the command line and the log share. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blockOf,
  type ClosedDestination,
  closedSentence,
  troubleOfError,
  troubleOfReply,
  withoutReply,
} from "../../../src/message/result/closed-destination.ts";

const CLOSED: ClosedDestination = {
  sinceMs: 1,
  probeAtMs: 3,
  isProbing: false,
  causes: ["connection_lost"],
  last: { cause: "connection_lost", text: "connection closed without QUIT", atMs: 2 },
};

const textOf = (closed: ClosedDestination): string =>
  closedSentence(closed)
    .map((part) => (typeof part === "string" ? part : `T${part.atMs}`))
    .join("");

test("says since when, after what, the last reply or error, and when the next probe is due", () => {
  assert.equal(
    textOf(CLOSED),
    "Postrider closed delivery to the recipient's server T1 after lost connections. Last error T2: connection closed without QUIT. The next probe, with one message, is due T3.",
  );
  const last = { cause: "rate_limited", text: "421 4.7.0 Slow down.", atMs: 2 } as const;
  assert.equal(
    textOf({ ...CLOSED, causes: ["timeout", "refused", "rate_limited"], last, isProbing: true }),
    "Postrider closed delivery to the recipient's server T1 after timeouts, negative replies and rate limits. Last reply T2: 421 4.7.0 Slow down. One message probes it now; the others wait for its result.",
  );
});

test("leaves out what is not known, or not for the reader", () => {
  const rest = " The next probe, with one message, is due T3.";
  assert.equal(
    textOf({ ...CLOSED, causes: [], last: null }),
    `Postrider closed delivery to the recipient's server T1.${rest}`,
  );
  assert.equal(
    textOf(withoutReply(CLOSED)),
    `Postrider closed delivery to the recipient's server T1 after lost connections.${rest}`,
  );
});

test("a 421 and a reply about rate are rate limits, and a peer's text is one line of limited length", () => {
  const reply = { code: 450, enhanced_code: "4.7.1", message: "too many\nmessages\t here" };
  assert.deepEqual(troubleOfReply(reply, "mail"), { cause: "rate_limited", text: "450 4.7.1 too many messages here" });
  assert.equal(troubleOfReply({ ...reply, message: "no" }, "mail").cause, "refused");
  assert.equal(troubleOfReply({ ...reply, code: 421, message: "no" }, "mail").cause, "rate_limited");
  const long = troubleOfError("timeout", "é".repeat(1000)).text;
  assert.deepEqual([long.length, long.at(-1)], [200, "…"]);
});

test("a refusal of this server's address or name is named, and is a block", () => {
  const closedAfter = (text: string): ClosedDestination => {
    const trouble = troubleOfReply({ code: 550, enhanced_code: null, message: text }, "rcpt");
    return { ...CLOSED, causes: [trouble.cause], last: { ...trouble, atMs: 2 } };
  };
  const listed = closedAfter("client host [192.0.2.1] blocked using zen.spamhaus.org");
  assert.match(textOf(listed), /after rejections of this server's address\. Last reply T2: 550 client host/);
  const unnamed = closedAfter("cannot find your reverse hostname");
  assert.match(textOf(unnamed), /after rejections of this server's name\. Last reply T2: 550 cannot find/);
  assert.deepEqual([listed, unnamed, closedAfter("no"), CLOSED].map(blockOf), [
    "reputation",
    "authentication",
    null,
    null,
  ]);
});
