/** What replies concern, as a table. Each is "CODE [ENHANCED] TEXT" at a stage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyParser } from "../../../src/delivery/smtp/reply.ts";
import type { RefusalScope } from "../../../src/message/result/category.ts";
import type { Stage } from "../../../src/message/result/outcome.ts";
import { scopeOfReply } from "../../../src/message/result/refusal-scope.ts";

const REPLIES: Record<RefusalScope, [Stage, string][]> = {
  sending_address: [
    ["rcpt", "550 5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup"],
    ["rcpt", "550 5.7.25 no"],
    ["rcpt", "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]"],
    ["mail", "550 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]"],
    ["rcpt", "554 5.7.1 Client host rejected: cannot find your reverse hostname"],
    ["final_dot", "421 4.7.23 The sending IP address for this message doesn't have a PTR record"],
    [
      "final_dot",
      "550 5.7.1 This message does not meet IPv6 sending guidelines regarding PTR records and authentication",
    ],
    ["greeting", "554 No SMTP service. Bad DNS PTR resource record."],
    ["rcpt", "550 5.7.1 <mta.sender.example>: Helo command rejected: Host not found"],
    ["rcpt", "450 4.7.1 <mta.sender.example>: Helo command rejected: Host not found"],
    ["ehlo", "550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)"],
    ["rcpt", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org"],
    ["final_dot", "550 5.7.606 Access denied, banned sending IP [192.0.2.1]"],
    ["mail", "550 5.7.1 part of their network is on our block list (S3140)."],
    ["mail", "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list"],
    ["greeting", "554 IP=192.0.2.1 - None/bad reputation. Ask tosa@rx.t-online.de for reset. (NOWL)"],
    ["mail", "554 resimta-po-01v.sys.comcast.net comcast 192.0.2.1 BL000000 spam"],
    ["greeting", "421 Service refused, please try later. OFR_999 [999]"],
    ["rcpt", "550 RP:ORQ 163 smtp8"],
    ["final_dot", "550 Ip frequency limited [aBcD IP: 192.0.2.1]"],
    ["mail", "421 4.1.0 192.0.2.1 Throttled - try again later. RL000003"],
    ["mail", "451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)"],
    ["greeting", "421 IB007 exceeded maximum number of connections"],
    ["final_dot", "550 5.7.28 There is an unusual rate of unsolicited mail originating from your IP address."],
    // Names of the address, by Sendmail, Exim, Cox, OpenSMTPD and others.
    ["rcpt", "550 5.7.1 Access denied. IP name lookup failed [192.0.2.1]"],
    ["rcpt", "550 5.7.27 PTR missing"],
    ["rcpt", "550 iprev check failed"],
    ["mail", "550 5.7.1 Fix reverse DNS for 192.0.2.1"],
    ["rcpt", "550 The corresponding forward DNS entry does not point to the sending IP"],
    ["rcpt", "550 Your host name mx.s.example mismatches client IP"],
    ["rcpt", "554 Service permits 2 unverifyable sending IPs"],
    ["rcpt", "554 unresolvable relay host name"],
    ["mail", "550 5.1.0 192.0.2.1 rejected. AUP#CXDNS"],
    ["mail", "554 cmsmtp ESMTP server not available AUP#IPBL0001"],
    ["mail", "550 5.7.1 Refused. OFR004_107 [107]"],
    ["rcpt", "550 5.7.506 no"],
    ["rcpt", "550 5.7.513 no"],
    ["mail", "550 Your access to submit messages to this e-mail system has been rejected."],
    // The name in EHLO.
    ["rcpt", "504 5.5.2 <mta>: Helo command rejected: need fully-qualified hostname"],
    ["rcpt", "550 HELO verification failed"],
    ["rcpt", "550 EHLO mta.s.example does not match 192.0.2.1"],
    ["mail", "550 Requested action not taken: EHLO identification invalid"],
    ["rcpt", "553 5.7.4 HELOIP REJECT"],
  ],
  sending_domain: [
    ["final_dot", "550 5.7.26 This mail has been blocked because the sender is unauthenticated."],
    ["final_dot", "550 5.7.26 no"],
    ["rcpt", "550 5.7.23 SPF validation failed"],
    ["final_dot", "550 5.7.20 No passing DKIM signature found"],
    ["final_dot", "451 4.7.24 SPF validation error"],
    ["final_dot", "550 5.7.509 Access denied, sending domain s.example does not pass DMARC verification"],
    [
      "final_dot",
      "550 5.7.515 Access denied, sending domain s.example doesn't meet the required authentication level.",
    ],
    ["final_dot", "550 5.7.1 Your message was rejected due to s.example DMARC policy."],
    ["final_dot", "554 5.7.9 Message not accepted for policy reasons. DMARC"],
    ["final_dot", "550 5.2.0 Message rejected due to DMARC. Please see DM000001"],
    ["mail", "550 Requested action not taken: mailbox unavailable. Reject due to SPF policy."],
    [
      "final_dot",
      "421 4.7.27 Your email has been rate limited because SPF authentication didn't pass for this message.",
    ],
    ["final_dot", "421 4.7.30 Your email has been rate limited because DKIM authentication didn't pass"],
    ["final_dot", "421 4.7.32 the From: header in this message isn't aligned with the authenticated SPF domain"],
    ["final_dot", "550 5.7.28 unusual rate of mail originating from your DKIM domain [s.example 35]"],
    // The domain's own names and its MX, by Postfix, Sendmail, Cisco, Exim, Haraka, Yahoo, GMX, QQ and others.
    ["mail", "550 5.1.8 <a@s.example>: Sender address rejected: Domain not found"],
    ["rcpt", "450 4.1.8 <a@s.example>: Sender address rejected: Domain not found"],
    ["rcpt", "550 5.1.8 no"],
    ["mail", "550 5.7.27 Sender address has null MX"],
    ["rcpt", "550 5.7.27 <a@s.example>: Sender address rejected: Domain s.example does not accept mail (nullMX)"],
    ["mail", "550 5.1.10 no"],
    ["mail", "550 5.1.2 bad sender's system address"],
    ["mail", "553 5.1.8 Domain of sender address a@s.example does not exist"],
    ["mail", "451 #4.1.8 Domain of sender address <a@s.example> does not resolve"],
    ["mail", "550 No MX for your FROM address"],
    ["mail", "451 Message temporarily deferred due to unresolvable RFC.5321 from domain"],
    ["mail", "550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record"],
    ["rcpt", "550 Domain may not exist or DNS check failed"],
    ["mail", "550 5.2.0 <a@s.example> From: Domain is invalid. Please provide a valid From: IB506"],
    ["mail", "553 sorry, your envelope sender domain must exist (#5.7.1)"],
    ["rcpt", "550-Verification failed for <a@s.example>\r\n550-Unrouteable address\r\n550 Sender verify failed"],
    [
      "rcpt",
      "550-The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.\r\n550 Sender verify failed",
    ],
    ["rcpt", "450 4.1.7 <a@s.example>: Sender address rejected: unverified address: connect to mx: Connection refused"],
    // SPF, DKIM and DMARC.
    [
      "rcpt",
      "550 5.7.1 <b@r.example>: Recipient address rejected: Please see http://www.openspf.net/Why?s=mfrom;id=a%40s.example",
    ],
    ["mail", "551 5.0.0 Rejected, look at http://www.openspf.org/why.html?sender=a@s.example&ip=192.0.2.1"],
    ["final_dot", "550 SPF check failed [MF/Nep IP: 192.0.2.1]."],
    ["mail", "550 5.7.1 192.0.2.1 is not allowed to send mail from s.example"],
    ["mail", "550 5.7.1 Host is not authorized to send mail for domain s.example"],
    ["rcpt", "550 5.7.1 The message was rejected because of Sender Policy Framework violation"],
    ["mail", "550 5.7.1 Sender ID (PRA) Not Permitted"],
    ["final_dot", "550 DKIM Sender Invalid - envelope rejected"],
    ["final_dot", "550 5.7.1 This message does not pass authentication checks"],
    ["final_dot", "550 5.7.30 This mail has been blocked because DKIM does not pass."],
    ["final_dot", "550 5.7.31 no"],
    ["final_dot", "550 5.7.32 no"],
    ["final_dot", "550 5.7.367 Remote server returned not permitted to relay -> 550 5.7.1 Relaying denied"],
    ["mail", "550 5.1.0 sender rejected AUP#CXSNDR"],
    ["mail", "501 5.1.0 Emetteur invalide. Invalid Sender. OFR004_405 [405]"],
  ],
  recipient: [
    ["rcpt", "550 #5.1.0 Address rejected."],
    ["rcpt", "550 5.1.1 User unknown"],
    ["rcpt", "550 5.2.1 The user is receiving mail at a rate that prevents additional messages"],
    ["rcpt", "552 5.2.2 the mailbox is full"],
    ["rcpt", "452 too many recipients"],
    ["rcpt", "550 Too many recipients"],
    ["final_dot", "550 5.7.29 ARC validation failure"],
    ["rcpt", "550 5.7.1 the sender was not authenticated"],
    ["rcpt", "550 5.1.2 <b@r.example>: Recipient address rejected: Domain not found"],
    ["rcpt", "556 5.1.10 <b@r.example>: Recipient address rejected: Domain r.example does not accept mail (nullMX)"],
    ["rcpt", "550 Rejected by header-based Anti-Spoofing policy: a@s.example"],
  ],
  message: [
    ["final_dot", "554 5.7.1 Message identified as spam"],
    ["final_dot", "550 5.7.1 suspicious due to the very low reputation of the sending domain"],
    ["final_dot", "550 5.7.1 rejected due to having a domain present in the Spamhaus DBL"],
    ["final_dot", "554 5.7.1 message contains a URL listed at SURBL"],
    ["mail", "554 5.7.1 Sender address [a@evil.example] blocked using dbl.spamhaus.org"],
    ["rcpt", "550 OFR_506 [506] Mail rejected"],
    ["final_dot", "554 5.7.1 [CS01] Message rejected due to local policy."],
    ["rcpt", "451 4.7.1 greylisted"],
    // The sender's own mail server, not its records, has refused its address.
    ["rcpt", "550 5.1.0 <a@s.example>: Sender address rejected: User unknown in virtual mailbox table"],
    ["rcpt", "550-Sent: RCPT TO:<a@s.example>\r\n550-Response: 550 User unknown\r\n550 Sender verify failed"],
    ["rcpt", "550-Verification failed for <a@s.example>\r\n550-No Such User Here\r\n550 Sender verify failed"],
    ["rcpt", "554 5.7.1 <a@s.example>: Sender address rejected: Access denied"],
    ["mail", "550 5.1.1 no such sender address"],
  ],
  connection: [
    ["mail", "421 Max message per connection reached, closing transmission channel"],
    ["mail", "421 4.7.0 20 messages per connection"],
    ["mail", "554 too many messages for this session"],
  ],
  unspecified: [
    ["rcpt", "550 5.7.1 Relaying denied"],
    ["rcpt", "550 5.7.1 Relaying denied. IP name lookup failed [192.0.2.1]"],
    ["mail", "550 5.1.1 no"],
    ["rcpt", "554 5.7.1 <a@b.example>: Relay access denied"],
    ["rcpt", "550 5.7.1 You are not allowed to send to this list"],
    ["rcpt", "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required"],
    ["rcpt", "550 5.7.124 SenderNotAuthenticatedForGroup; the sender was not authenticated when sending to this group"],
    ["rcpt", "550 Administrative prohibition"],
    ["mail", "550 No"],
    ["rcpt", "503 5.5.1 send HELO first"],
  ],
};

for (const [scope, replies] of Object.entries(REPLIES)) {
  test(`refusals that concern: ${scope}`, () => {
    for (const [stage, text] of replies) {
      const [reply] = new ReplyParser().push(Buffer.from(`${text}\r\n`)).replies;
      assert.ok(reply);
      assert.equal(scopeOfReply(reply, stage), scope, `${stage}: ${text}`);
    }
  });
}
