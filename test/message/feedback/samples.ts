/** Messages that came back, in the form in which mail servers write them. */

export const lines = (...all: string[]): string => all.join("\r\n");

/** A multipart/report with these parts: content type and body. */
export function report(header: string[], type: string, parts: readonly (readonly [string, string])[]): Buffer {
  const body = parts.flatMap(([partType, text]) => ["--=b", `Content-Type: ${partType}`, "", text]);
  const contentType = `Content-Type: multipart/report; report-type=${type}; boundary="=b"`;
  return Buffer.from(lines(...header, "MIME-Version: 1.0", contentType, "", ...body, "--=b--", ""));
}

export const plain = (header: string[], ...body: string[]): Buffer => Buffer.from(lines(...header, "", ...body, ""));

const ORIGINAL = lines(
  "Return-Path: <bounces+tag@bounces.shop.example>",
  "Message-ID: <original@shop.example>",
  "From: hello@shop.example",
  "To: ann@customers.example",
  "Subject: Your order",
);
const DAEMON = ["From: MAILER-DAEMON@mx.example (Mail Delivery System)", "To: bounces+tag@bounces.shop.example"];

const notification = (header: string[], text: string, status: string): Buffer =>
  report([...DAEMON, ...header], "delivery-status", [
    ["text/plain", text],
    ["message/delivery-status", status],
    ["text/rfc822-headers", ORIGINAL],
  ]);

export const postfix = notification(
  ["Subject: Undelivered Mail Returned to Sender", "Auto-Submitted: auto-replied"],
  "<ann@customers.example>: host mx.customers.example[192.0.2.1] said: 550 5.1.1 No such user",
  lines(
    "Reporting-MTA: dns; mx.example",
    "X-Postfix-Queue-ID: 4F3B",
    "",
    "Final-Recipient: rfc822; ann@customers.example",
    "Original-Recipient: rfc822;Ann@customers.example",
    "Action: failed",
    "Status: 5.1.1",
    "Remote-MTA: dns; mx.customers.example",
    "Diagnostic-Code: smtp; 550 5.1.1 <ann@customers.example>: Recipient address rejected:",
    "    User unknown in virtual mailbox table",
  ),
);

export const postfixDelay = notification(
  ["Subject: Delayed Mail (still being retried)"],
  "THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE.",
  lines(
    "Reporting-MTA: dns; mx.example",
    "",
    "Final-Recipient: rfc822; ann@customers.example",
    "Action: delayed",
    "Status: 4.4.1",
    "Diagnostic-Code: X-Postfix; connect to mx: Connection timed out",
    "Will-Retry-Until: Sat, 28 Nov 2026 10:00:00 +0000",
  ),
);

/** Exim reports 5.0.0 whatever the host replied. */
export const exim = report(
  ["From: Mail Delivery System <Mailer-Daemon@mx.example>", "X-Failed-Recipients: ann@customers.example"],
  "delivery-status",
  [
    ["text/plain", "This message was created automatically by mail delivery software."],
    [
      "message/delivery-status",
      lines(
        "Reporting-MTA: dns; mx.example",
        "",
        "Action: failed",
        "Final-Recipient: rfc822;ann@customers.example",
        "Status: 5.0.0",
        "Remote-MTA: dns; mx.customers.example",
        "Diagnostic-Code: smtp; 550-5.2.1 The account that you tried to reach is disabled.",
      ),
    ],
    ["message/rfc822", ORIGINAL],
  ],
);

export const eximText = plain(
  [
    "From: Mail Delivery System <Mailer-Daemon@mx.example>",
    "X-Failed-Recipients: ann@customers.example, bob@b.example",
    "Subject: Mail delivery failed: returning message to sender",
  ],
  "This message was created automatically by mail delivery software.",
  "",
  "A message that you sent could not be delivered to one or more of its",
  "recipients. This is a permanent error. The following address(es) failed:",
  "",
  "  ann@customers.example",
  "    host mx.customers.example [192.0.2.1]",
  "    SMTP error from remote mail server after RCPT TO:<ann@customers.example>:",
  "    550 Unknown user",
  "  bob@b.example",
  "    Unrouteable address",
  "",
  "------ This is a copy of the message, including all the headers. ------",
  "",
  ORIGINAL,
  "",
  "  carl@c.example",
);

export const eximWarning = plain(
  ["From: Mail Delivery System <Mailer-Daemon@mx.example>", "Subject: Warning: message 1abc delayed 24 hours"],
  "A message that you sent has not yet been delivered to one or more of its",
  "recipients after more than 24 hours on the queue on mx.example.",
  "",
  "  ann@customers.example",
  "    Delay reason: Connection timed out",
  "",
  "No action is required on your part. Delivery attempts will continue for",
  "some time, and this warning may be repeated at intervals.",
);

export const qmail = plain(
  ["From: MAILER-DAEMON@mx.example", "Subject: failure notice"],
  "Hi. This is the qmail-send program at mx.example.",
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  "This is a permanent error; I've given up. Sorry it didn't work out.",
  "",
  "<ann@customers.example>:",
  "192.0.2.1 does not like recipient.",
  "Remote host said: 553 sorry, no mailbox here by that name. (#5.7.1)",
  "Giving up on 192.0.2.1.",
  "",
  "--- Below this line is a copy of the message.",
  "",
  ORIGINAL,
);

export const sendmailText = plain(
  ["From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example>", "Subject: Returned mail: see transcript for details"],
  "The original message was received at Mon, 2 Nov 2026 10:00:00 GMT",
  "",
  "   ----- The following addresses had permanent fatal errors -----",
  "<ann@customers.example>",
  "    (reason: 552 5.2.2 Mailbox is full)",
  "",
  "   ----- Transcript of session follows -----",
  "... while talking to mx.customers.example.:",
  ">>> DATA",
  "<<< 552 5.2.2 Mailbox is full",
);

/** The type of the field is missing, and so is the blank line after the first group. */
export const sloppy = notification(
  ["Subject: failed"],
  "It failed.",
  lines(
    "Reporting-MTA: dns; mx.example",
    "Final-Recipient: <ann@customers.example>",
    "Action: FAILED",
    "Status: 5.1.1 (x)",
  ),
);

/** The host that was down for days is no fault of the address. */
export const expired = notification(
  ["Subject: Undelivered"],
  "connect to mx: Connection timed out",
  lines(
    "Reporting-MTA: dns; mx.example",
    "",
    "Final-Recipient: rfc822; ann@customers.example",
    "Action: failed",
    "Status: 4.4.1",
    "Diagnostic-Code: X-Postfix; connect to mx.customers.example[192.0.2.1]:25: Connection timed out",
  ),
);

export const outOfOffice = plain(
  ["From: Ann <ann@customers.example>", "Subject: Re: Your order", "Auto-Submitted: auto-replied (vacation)"],
  "I am away until Monday. Please write to bob@b.example. 550 5.1.1 is the extension of my office.",
);

export const outOfOfficeBySubject = plain(
  ["From: Ann <ann@customers.example>", "Subject: Automatic reply: Your order"],
  "I am away.",
);

export const challenge = plain(
  ["From: Ann <ann@customers.example>", "Subject: Please confirm your message to ann@customers.example"],
  "Reply to this message to prove that you are a person.",
);

export const delivered = notification(
  ["Subject: Successful Mail Delivery Report"],
  "Your message was delivered.",
  lines(
    "Reporting-MTA: dns; mx.example",
    "",
    "Final-Recipient: rfc822; ann@customers.example",
    "Action: delivered",
    "Status: 2.0.0",
  ),
);

export const abuse = (kind: string): Buffer =>
  report(["From: feedback@provider.example", "Subject: FW: Your order"], "feedback-report", [
    ["text/plain", "This is an email abuse report."],
    [
      "message/feedback-report",
      lines(
        `Feedback-Type: ${kind}`,
        "User-Agent: Provider/1.0",
        "Version: 1",
        "Original-Mail-From: <bounces+tag@bounces.shop.example>",
        "Original-Rcpt-To: <ann@customers.example>",
        "Source-IP: 192.0.2.9",
      ),
    ],
    ["message/rfc822", ORIGINAL],
  ]);

export const serverChallenge = plain(
  ["Return-Path: <>", "From: MAILER-DAEMON@customers.example", "Subject: Message held"],
  "Your message could not be delivered yet. Reply to this message to prove that you are a person.",
);

export const opensmtpdDelay = (action: string): Buffer =>
  notification(
    ["From: Mailer Daemon <MAILER-DAEMON@mx.example>", "Subject: Delivery status notification: warning"],
    lines(
      "    Hi!",
      "",
      "    This is the MAILER-DAEMON, please DO NOT REPLY to this email.",
      "",
      "    A message is delayed for more than 4h for the following",
      "    list of recipients:",
      "",
      "ann@customers.example: Network error on destination MXs",
      "",
      "    Please note that this is only a temporary failure report.",
      "    The message is kept in the queue for up to 4d.",
      "    You DO NOT NEED to re-send the message to these recipients.",
    ),
    lines(
      "Reporting-MTA: dns; mx.example",
      "",
      "Final-Recipient: rfc822; ann@customers.example",
      `Action: ${action}`,
      "Status: 4.4.1",
    ),
  );

const FORENSIC = lines(
  "A mail in your name did not pass the DMARC policy of your domain.",
  "",
  "  Sender Domain: shop.example",
  "  DKIM Alignment: no",
  "  DMARC Results: Reject",
);

export const forensicText = report(
  ["From: no-reply@filter.example", "Subject: DMARC Forensic Report for shop.example from IP 192.0.2.68"],
  "feedback-report",
  [
    ["text/plain", FORENSIC],
    ["text/plain", ORIGINAL],
  ],
);

export const forensicForward = report(
  ["From: feedback@filter.example", "Subject: Abuse report: DMARC failure"],
  "none",
  [
    ["text/plain", FORENSIC],
    ["message/rfc822", ORIGINAL],
  ],
);

export const feedbackQuestion = report(["From: feedback@customers.example", "Subject: What is this?"], "none", [
  ["text/plain", "Who are you?"],
  ["message/rfc822", ORIGINAL],
]);
