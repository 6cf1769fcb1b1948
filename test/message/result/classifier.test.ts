/** Categories of providers' real replies, with addresses and hosts replaced. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Category } from "../../../src/message/result/category.ts";
import { categoryOfReply, classifyReply } from "../../../src/message/result/classifier.ts";
import type { Stage } from "../../../src/message/result/outcome.ts";

/** stage, code, enhanced code, text, category */
const REPLIES: [Stage, number, string | null, string, Category][] = [
  // Google
  [
    "rcpt",
    550,
    "5.1.1",
    "The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces.",
    "bad_address",
  ],
  ["rcpt", 552, "5.2.2", "The recipient's inbox is out of storage space and inactive.", "mailbox_full"],
  ["rcpt", 452, "4.2.2", "The recipient's inbox is out of storage space.", "mailbox_full"],
  ["rcpt", 550, "5.2.1", "The email account that you tried to reach is inactive.", "mailbox_disabled"],
  [
    "rcpt",
    450,
    "4.2.1",
    "The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time.",
    "rate_limited",
  ],
  [
    "final_dot",
    421,
    "4.7.28",
    "Gmail has detected an unusual rate of unsolicited mail originating from your IP address.",
    "rate_limited",
  ],
  [
    "final_dot",
    550,
    "5.7.28",
    "There is an unusual rate of unsolicited mail originating from your IP address.",
    "rate_limited",
  ],
  [
    "final_dot",
    550,
    "5.7.1",
    "Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain.",
    "reputation",
  ],
  [
    "final_dot",
    550,
    "5.7.1",
    "Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.",
    "content",
  ],
  ["final_dot", 550, "5.7.26", "This mail has been blocked because the sender is unauthenticated.", "authentication"],
  [
    "final_dot",
    550,
    "5.7.25",
    "The IP address sending this message does not have a PTR record setup",
    "authentication",
  ],
  [
    "final_dot",
    552,
    "5.7.0",
    "This message was blocked because its content presents a potential security issue.",
    "content",
  ],
  ["final_dot", 552, "5.3.4", "Your message exceeded Google's message size limits.", "too_large"],
  ["mail", 421, "4.7.0", "Temporary System Problem. Try again later (10).", "rate_limited"],
  ["rcpt", 451, "4.3.0", "Mail server temporarily rejected message.", "network"],
  // Microsoft
  [
    "mail",
    451,
    "4.7.650",
    "The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.",
    "rate_limited",
  ],
  ["mail", 451, "4.7.500", "Server busy. Please try again later from [192.0.2.1]. (S77719)", "rate_limited"],
  [
    "mail",
    550,
    "5.7.1",
    "Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
    "reputation",
  ],
  ["rcpt", 550, "5.7.606", "Access denied, banned sending IP [192.0.2.1]", "reputation"],
  ["rcpt", 550, "5.7.511", "Access denied, banned sender[192.0.2.1].", "reputation"],
  [
    "final_dot",
    550,
    "5.7.509",
    "Access denied, sending domain sender.example does not pass DMARC verification",
    "authentication",
  ],
  [
    "final_dot",
    550,
    "5.7.515",
    "Access denied, sending domain sender.example doesn't meet the required authentication level.",
    "authentication",
  ],
  ["rcpt", 550, "5.5.0", "Requested action not taken: mailbox unavailable (S2017062302).", "bad_address"],
  ["rcpt", 550, "5.4.1", "Recipient address rejected: Access denied. [AS201806281]", "bad_address"],
  ["rcpt", 550, "5.1.10", "RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", "bad_address"],
  ["final_dot", 550, "5.7.133", "RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required", "policy"],
  ["final_dot", 554, "5.2.2", "mailbox full; STOREDRV.Deliver.Exception", "mailbox_full"],
  // Yahoo, Apple, European providers
  [
    "mail",
    421,
    "4.7.0",
    "[TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1",
    "rate_limited",
  ],
  [
    "mail",
    553,
    "5.7.1",
    "[BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
    "reputation",
  ],
  ["final_dot", 554, "5.7.9", "Message not accepted for policy reasons. DMARC", "authentication"],
  [
    "final_dot",
    554,
    null,
    "delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]",
    "bad_address",
  ],
  [
    "final_dot",
    554,
    null,
    "30 Sorry, your message to a@yahoo.com cannot be delivered. This mailbox is disabled (554.30).",
    "mailbox_disabled",
  ],
  ["final_dot", 554, "5.7.1", "[HM08] Message rejected due to local policy.", "reputation"],
  ["final_dot", 554, "5.7.1", "[CS01] Message rejected due to local policy.", "content"],
  [
    "greeting",
    554,
    null,
    "gmx.net (mxgmx017) Nemesis ESMTP Service not available\nNo SMTP service\nIP address is block listed.",
    "reputation",
  ],
  [
    "greeting",
    554,
    null,
    "IP=192.0.2.1 - A problem occurred. Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.",
    "reputation",
  ],
  ["greeting", 554, null, "mx.example ESMTP not accepting messages", "reputation"],
  ["rcpt", 550, null, "OFR_506 [506] Mail rejected", "content"],
  ["final_dot", 550, null, "Mail content denied. https://service.mail.qq.example/", "content"],
  ["final_dot", 550, null, "Ip frequency limited [aBcD IP: 192.0.2.1]", "rate_limited"],
  // Gateways and servers
  [
    "rcpt",
    554,
    "5.7.1",
    "Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1",
    "reputation",
  ],
  ["rcpt", 550, null, "5.7.1 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1", "reputation"],
  ["rcpt", 550, null, "permanent failure for one or more recipients (a@b.example:blocked)", "bad_address"],
  [
    "rcpt",
    450,
    "4.2.0",
    "<a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.example/help/b.example.html",
    "greylisted",
  ],
  ["rcpt", 451, "4.7.1", "Greylisting in action, please come back later", "greylisted"],
  ["rcpt", 451, null, "Please try again in 300 seconds", "greylisted"],
  ["rcpt", 421, "4.7.0", "Greylisted, try again in 300 seconds", "greylisted"],
  ["rcpt", 421, "4.7.0", "Try again in 15 minutes", "rate_limited"],
  ["mail", 421, null, "Try again in 15 minutes", "rate_limited"],
  ["mail", 451, "4.7.1", "Please try again in 15 minutes", "rate_limited"],
  ["greeting", 421, "4.3.2", "Service shutting down, come back later", "network"],
  ["rcpt", 451, "4.7.1", "Frequency of messages from 192.0.2.1 is limited, retry later", "rate_limited"],
  ["rcpt", 550, "5.7.1", "Greylisted for ever", "policy"],
  [
    "rcpt",
    550,
    "5.1.1",
    "<a@b.example>: Recipient address rejected: User unknown in virtual mailbox table",
    "bad_address",
  ],
  ["rcpt", 550, null, "No such user here", "bad_address"],
  [
    "rcpt",
    450,
    "4.1.1",
    "<a@b.example>: Recipient address rejected: unverified address: Address verification in progress",
    "bad_address",
  ],
  ["rcpt", 550, "5.1.8", "<x@s.example>: Sender address rejected: Domain not found", "authentication"],
  ["rcpt", 554, "5.7.1", "<a@b.example>: Relay access denied", "policy"],
  ["rcpt", 450, "4.7.25", "Client host rejected: cannot find your hostname, [192.0.2.1]", "authentication"],
  ["rcpt", 550, "5.7.23", "SPF validation failed", "authentication"],
  ["mail", 530, "5.7.0", "Must issue a STARTTLS command first", "policy"],
  ["greeting", 421, "4.7.0", "mx.example Error: too many connections from 192.0.2.1", "rate_limited"],
  ["mail", 452, "4.3.1", "Insufficient system storage", "network"],
  ["ehlo", 421, "4.3.2", "Service shutting down", "network"],
  ["greeting", 421, null, "Service not available, closing transmission channel", "network"],
  ["rcpt", 552, null, "Requested mail action aborted", "mailbox_full"],
  ["final_dot", 552, null, "Requested mail action aborted", "too_large"],
  ["rcpt", 550, null, "Rejected", "other"],
  ["rcpt", 550, "5.0.0", "", "other"],
  ["final_dot", 550, "5.6.0", "Bad", "content"],
  ["final_dot", 550, null, "554 5.7.1 Message identified as SPAM", "content"],
];

test("providers' replies are categorised", () => {
  for (const [stage, code, enhanced_code, message, category] of REPLIES) {
    const found = categoryOfReply({ code, enhanced_code, message }, stage);
    assert.equal(found, category, `${code} ${enhanced_code ?? ""} ${message}`);
  }
});

/** One reply per line: category, stage, code, enhanced code or -, text with \n between its lines. */
const MORE = readFileSync(new URL("../provider-replies.txt", import.meta.url), "utf8");

test("further replies of providers and mail servers are categorised", () => {
  const lines = MORE.split("\n").filter(Boolean);
  assert.ok(lines.length > 100);
  for (const line of lines) {
    const [category, stage, code, enhanced, ...words] = line.split(" ");
    const message = words.join(" ").replaceAll("\\n", "\n");
    const reply = { code: Number(code), enhanced_code: enhanced === "-" ? null : (enhanced ?? null), message };
    assert.equal(categoryOfReply(reply, stage as Stage), category, line);
  }
});

test("words of an address in a reply do not count", () => {
  for (const address of [
    "spam@reputation.example",
    "<quota.exceeded@spf.example>:",
    "<user-unknown@b.example>",
    "(rdns@b.example)",
    "<rdns/a@b.example>:",
    "helo/ehlo@b.example",
    '<"no ptr record"@b.example>:',
    "to:<rate-limit@b.example>",
    "[x-rdns@b.example]",
    "mailto:rdns@b.example",
    'to:<"rdns\\" x"@b.example>',
  ]) {
    const reply = { code: 550, enhanced_code: null, message: `${address} Rejected` };
    assert.equal(categoryOfReply(reply, "rcpt"), "other", address);
  }
});

test("the words of a host's name in a URL count, those of an address after it do not", () => {
  const categoryOf = (message: string) => categoryOfReply({ code: 550, enhanced_code: null, message }, "rcpt");
  assert.equal(categoryOf("see http://www.openspf.net/Why?id=a@s.example"), "authentication");
  assert.equal(categoryOf("see <https://spf.pobox.com/why.html?sender=spam@s.example>"), "authentication");
  assert.equal(categoryOf("see https://mx.example/?sender=openspf.spam@s.example"), "other");
  assert.equal(categoryOf("see https://helo@s.example"), "other");
});

test("before RCPT TO a text or a code about recipients does not count", () => {
  assert.equal(categoryOfReply({ code: 550, enhanced_code: "5.1.1", message: "No" }, "mail"), "policy");
  assert.equal(classifyReply({ code: 550, enhanced_code: "5.1.1", message: "No" }, "mail").blamesAddress, false);
  const reply = { code: 550, enhanced_code: null, message: "User unknown" };
  assert.equal(categoryOfReply(reply, "rcpt"), "bad_address");
  assert.equal(categoryOfReply(reply, "mail"), "other");
});

test("an address among Chinese words does not count, in linear time", () => {
  const reply = (message: string) => ({ code: 550, enhanced_code: null, message });
  assert.equal(categoryOfReply(reply("收件人（spam@b.example）邮箱已满"), "rcpt"), "mailbox_full");
  assert.equal(categoryOfReply(reply(`用${"x".repeat(1_000_000)}`), "rcpt"), "other");
});

test("short texts match whole words only", () => {
  for (const message of ["curblanguage", "transpfer", "relayed by mx.example"]) {
    assert.equal(categoryOfReply({ code: 550, enhanced_code: null, message }, "rcpt"), "other", message);
  }
});

test("the rule that decided is named, and only a permanent refusal blames the address", () => {
  const classified = (code: number, enhanced_code: string | null, message: string) => {
    const { category, permanent, blamesAddress, rule } = classifyReply({ code, enhanced_code, message }, "rcpt");
    return [category, permanent, blamesAddress, rule];
  };
  assert.deepEqual(classified(550, "5.1.1", "x"), ["bad_address", true, true, "enhanced code 5.1.1"]);
  assert.deepEqual(classified(450, "4.1.1", "x"), ["bad_address", false, false, "enhanced code 4.1.1"]);
  assert.deepEqual(classified(550, "5.1.2", "x"), ["bad_address", true, false, "enhanced code 5.1.2"]);
  assert.deepEqual(classified(550, null, "Sorry, NO  such user."), ["bad_address", true, true, 'text "no such user"']);
  assert.deepEqual(classified(450, null, "no such user"), ["bad_address", false, false, 'text "no such user"']);
  assert.deepEqual(classified(550, "5.7.1", "Listed at x"), ["reputation", true, false, 'text "listed at"']);
  assert.deepEqual(classified(550, "5.7.1", "No"), ["policy", true, false, "enhanced code 5.7.1"]);
  assert.deepEqual(classified(552, null, "No"), ["mailbox_full", true, false, "reply code 552"]);
  assert.deepEqual(classified(550, null, "No"), ["other", true, false, "reply code 550"]);
});
