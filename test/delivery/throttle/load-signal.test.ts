/** The load signal of each reply, loss and silence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LoadSignal, type Observation, signalOf } from "../../../src/delivery/throttle/load-signal.ts";
import type { Stage } from "../../../src/message/result/outcome.ts";

/** "CODE [ENHANCED] TEXT" at a stage. */
function observed(stage: Stage, text: string): Observation {
  const [, code, enhanced, message = ""] = /^(\d{3})(?: (\d\.\d+\.\d+))?(?: (.*))?$/.exec(text) ?? [];
  return { stage, reply: { code: Number(code), enhanced_code: enhanced ?? null, message } };
}

const nothing = (stage: Stage): Observation => ({ stage, reply: null });

const REPLIES: Record<"accepted" | "refused" | "sender_refused" | "neutral", [Stage, string][]> = {
  accepted: [["final_dot", "250 2.0.0 queued"]],
  refused: [
    ["greeting", "421 4.7.0 too many connections"],
    ["greeting", "450 4.3.2 busy"],
    ["greeting", "554 5.7.1 blocked using a list"],
    ["greeting", "554 no service"],
    ["ehlo", "450 4.7.1 not now"],
    ["ehlo", "550 5.7.1 not you"],
    ["mail", "451 4.7.650 The mail server has been temporarily rate limited due to IP reputation"],
    ["mail", "451 4.7.1 later"],
    ["mail", "451 4.7.1 try again in 15 minutes"],
    ["rcpt", "421 4.7.0 try again in 15 minutes"],
    ["rcpt", "421 come back later"],
    ["mail", "451 try later"],
    ["mail", "550 5.7.1 Service unavailable, client host [192.0.2.1] blocked using Spamhaus"],
    ["mail", "550 5.7.1 Access denied"],
    ["mail", "452 4.3.1 insufficient system storage"],
    ["rcpt", "421 4.7.28 unusual rate of mail"],
    ["rcpt", "421"],
    ["rcpt", "450 4.7.0 too many messages"],
    ["rcpt", "451 4.3.0 out of order"],
    ["rcpt", "451 4.4.5 system is congested"],
    ["data", "451 4.7.0 rate limit exceeded"],
    ["content", "421 4.3.2 shutting down"],
    ["final_dot", "421 4.7.0 closing"],
    ["final_dot", "421 4.7.28 unusual rate of unsolicited mail originating from your IP address"],
    ["final_dot", "421 4.7.0 [192.0.2.1] suspicious due to the very low reputation of the sending IP address"],
    ["final_dot", "550 5.7.606 Access denied, banned sending IP [192.0.2.1]"],
    ["final_dot", "550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using Spamhaus"],
    ["mail", "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints"],
    ["rcpt", "550 5.7.1 Your network is on our block list (S3150)"],
    ["rcpt", "550 5.7.1 refused for poor reputation"],
    ["final_dot", "451 4.7.500 server busy. Please try again later"],
  ],
  sender_refused: [
    ["final_dot", "421 4.7.28 unusual rate of mail originating from your DKIM domain [evil.example 35]"],
    ["final_dot", "450 4.7.28 unusual rate of mail originating from your SPF domain [evil.example 35]"],
    ["final_dot", "550 5.7.28 unusual rate of mail containing one of your URL domains"],
    ["final_dot", "550 5.7.1 [192.0.2.1] suspicious due to the very low reputation of the sending domain"],
    ["final_dot", "421 4.7.0 suspicious due to the nature of the content and the links within"],
    ["final_dot", "421 4.7.26 this mail is unauthenticated"],
    ["final_dot", "554 5.7.1 message contains a URL listed at SURBL"],
    ["final_dot", "554 5.7.1 blocklisted URL in the message"],
    ["final_dot", "554 5.7.1 a link in your message is listed in multi.uribl.com"],
    ["final_dot", "550 5.7.1 this message is on our block list"],
    ["final_dot", "421 4.7.509 Access denied, sending domain does not pass DMARC verification"],
    ["final_dot", "421 4.7.515 Access denied, sending domain does not meet the required authentication level"],
    ["mail", "554 5.7.1 Sender address [a@evil.example] blocked using dbl.spamhaus.org"],
    ["mail", "450 4.7.1 the domain is listed in our blocklist"],
    ["mail", "421 4.7.1 poor reputation of your domain"],
    ["rcpt", "550 5.7.502 Access denied, banned sender"],
    ["rcpt", "451 4.7.1 rate limit of sender domain exceeded"],
    ["rcpt", "451 4.7.0 too many messages for this recipient domain"],
    ["rcpt", "421 greylisted, come back later"],
  ],
  neutral: [
    ["rcpt", "450 4.2.1 The user is receiving mail too quickly"],
    ["rcpt", "421 4.2.1 The user is receiving mail too quickly"],
    ["rcpt", "550 5.1.1 no such user"],
    ["rcpt", "452 4.2.2 mailbox full"],
    ["rcpt", "452 4.5.3 too many recipients"],
    ["rcpt", "452 too many recipients"],
    ["rcpt", "451 4.7.1 greylisted, come back later"],
    ["rcpt", "450 not now"],
    ["rcpt", "451 4.7.1 not by our policy"],
    ["rcpt", "550 5.4.1 no route"],
    ["mail", "552 5.3.4 message too large"],
    ["mail", "550 5.7.26 unauthenticated email"],
    ["mail", "450 4.1.8 sender address rejected: domain not found"],
    ["mail", "553 sender address rejected"],
    ["mail", "530 5.7.0 must issue a STARTTLS command first"],
    ["final_dot", "554 5.6.0 the content is spam"],
    ["final_dot", "451 4.6.0 content"],
    ["final_dot", "354 more"],
    ["mail", "250 ok"],
  ],
};

for (const [signal, replies] of Object.entries(REPLIES)) {
  test(`replies that are ${signal}`, () => {
    for (const [stage, text] of replies) assert.equal(signalOf([observed(stage, text)]), signal, `${stage}: ${text}`);
  });
}

test("silence and lost connections are refusals from the greeting to the dot; failed TLS and DNS are neutral", () => {
  for (const stage of ["greeting", "ehlo", "mail", "rcpt", "data", "content", "final_dot"] as const) {
    assert.equal(signalOf([nothing(stage)]), "refused", stage);
  }
  for (const stage of ["dns", "starttls"] as const) assert.equal(signalOf([nothing(stage)]), "neutral", stage);
  assert.equal(signalOf([nothing("connect")]), "unreachable");
  assert.equal(signalOf([]), "neutral", "errors of this server leave no observation");
});

test("the combined signal: an accepted message counts, refusals beside it too, dead addresses only alone", () => {
  const accepted = observed("final_dot", "250 ok");
  const unknown = observed("rcpt", "550 5.1.1 no such user");
  const busy = observed("rcpt", "421 4.3.2 busy");
  const ofSender = observed("final_dot", "421 4.7.28 unusual rate of mail from your DKIM domain");
  const dead = nothing("connect");
  const cases: [Observation[], LoadSignal][] = [
    [[accepted, unknown], "accepted"],
    [[dead, accepted], "accepted"],
    [[busy, accepted], "strained"],
    [[busy, unknown], "refused"],
    [[dead, busy], "refused"],
    [[dead, nothing("data")], "refused"],
    [[ofSender, accepted], "strained"],
    [[ofSender, busy], "refused"],
    [[dead, ofSender, unknown], "sender_refused"],
    [[dead, unknown], "neutral"],
    [[dead, dead], "unreachable"],
  ];
  for (const [observations, signal] of cases)
    assert.equal(signalOf(observations), signal, JSON.stringify(observations));
});
