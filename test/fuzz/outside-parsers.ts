/**
 * Every parser of text from outside, with the forms in which hostile text reaches it. `length` is the octets of the smaller input:
 * near the limit that the caller keeps, so that the larger one exceeds it only where the parser has to refuse that by itself.
 */

import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { parse as parseQuery } from "node:querystring";
import { gzipSync } from "node:zlib";
import Koa, { type Context } from "koa";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { queryOf } from "../../src/app/send/message-query.ts";
import { ImportReader } from "../../src/app/suppressions/import-reader.ts";
import { listSuppressions } from "../../src/app/suppressions/suppression-list.ts";
import { webhookUrlFault } from "../../src/app/webhooks/webhook-url.ts";
import { parseSince } from "../../src/cli/since.ts";
import { encodeByteArrays } from "../../src/compat/resend/byte-arrays.ts";
import { parseResendBatch, parseResendMessage } from "../../src/compat/resend/parse-messages.ts";
import { mayRequest } from "../../src/dashboard/auth/roles.ts";
import { readSearch } from "../../src/dashboard/pages/message-search.ts";
import { capabilitiesOf } from "../../src/delivery/smtp/capabilities.ts";
import { MESSAGE_BYTES_MAX, ReplyParser } from "../../src/delivery/smtp/reply.ts";
import { policyId, readPolicy } from "../../src/delivery/tls/mta-sts.ts";
import { isDmarc, readDmarc } from "../../src/dmarc/record.ts";
import { isReportUri } from "../../src/dmarc/report-uri.ts";
import { TXT_BYTES_MAX } from "../../src/dns/answer-limits.ts";
import { isQueryableName, normalizeName } from "../../src/dns/name.ts";
import { parseServer } from "../../src/dns/query-exchange.ts";
import { A, AAAA, CNAME, MX, type RecordKind, TLSA, TXT } from "../../src/dns/record-data.ts";
import { readMessage, unlessMalformed } from "../../src/dns/reply-reader.ts";
import { parseTagList, readTags } from "../../src/dns/tag-list.ts";
import { repairDkim } from "../../src/domains/dkim-repair.ts";
import { adviceOf } from "../../src/domains/dmarc-advice.ts";
import { explainLookalike, looksLikeDmarc } from "../../src/domains/dmarc-record.ts";
import { repairDmarc } from "../../src/domains/dmarc-repair.ts";
import { normalizeDomainName } from "../../src/domains/domain-name.ts";
import { listsReportUri, repairUris, withReportUri } from "../../src/domains/report-uris.ts";
import { isSpf, looksLikeSpf, mergeRecords, repairVersion, withMechanisms } from "../../src/domains/spf-record.ts";
import { findInvalidTerm, repairTerm, splitTerms } from "../../src/domains/spf-syntax.ts";
import { verifyDomain } from "../../src/domains/verify.ts";
import { readIdempotencyKey } from "../../src/http/request/idempotency.ts";
import { queryReader } from "../../src/http/request/query.ts";
import { clientAddress } from "../../src/lib/client-address.ts";
import { displayNameFault } from "../../src/lib/display-name.ts";
import { addressOfReverseName, canonicalAddress } from "../../src/lib/ip-address.ts";
import { sanitizeLines } from "../../src/lib/terminal-text.ts";
import { parseMailbox } from "../../src/message/address.ts";
import { decodeBase64 } from "../../src/message/base64.ts";
import { parseBatch } from "../../src/message/compose/draft-batch.ts";
import { attachedMessage, forwardedSubject } from "../../src/message/compose/forwarded.ts";
import { toSevenBit } from "../../src/message/compose/seven-bit.ts";
import { contentOf } from "../../src/message/content.ts";
import { dkimSignature } from "../../src/message/dkim.ts";
import { domainInAscii, domainInUnicode } from "../../src/message/domain-encoding.ts";
import { decodeWords, encodedWords } from "../../src/message/encoded-words.ts";
import { readFeedback } from "../../src/message/feedback/feedback.ts";
import { isSignedByLoop, loopKeyNames } from "../../src/message/feedback/loop-signature.ts";
import { withAsciiHeader } from "../../src/message/header/ascii-header.ts";
import { splitComments } from "../../src/message/header/comments.ts";
import { headerText, isAutoSubmitted, receivedFields } from "../../src/message/header/incoming-header.ts";
import { momentOfMessageId } from "../../src/message/ids.ts";
import { mailboxesIn } from "../../src/message/reading/address-fields.ts";
import { attachedFile, attachedFiles } from "../../src/message/reading/attached-files.ts";
import { withInlineImages } from "../../src/message/reading/inline-images.ts";
import { bodiesOf } from "../../src/message/reading/message-bodies.ts";
import { htmlDocumentOf, readContent } from "../../src/message/reading/readable-content.ts";
import { decodeTransfer } from "../../src/message/reading/transfer-decoding.ts";
import { reportTargets } from "../../src/message/reports/outgoing-tls-report.ts";
import { readSenderReport } from "../../src/message/reports/sender-report.ts";
import { readTlsReport } from "../../src/message/reports/tls-report.ts";
import { classifyReply } from "../../src/message/result/classifier.ts";
import { troubleOfReply } from "../../src/message/result/closed-destination.ts";
import { readReturnPath } from "../../src/message/return-path.ts";
import { headerNameError, headerValueError } from "../../src/message/send-request/custom-header.ts";
import { parseJson } from "../../src/message/send-request/json-text.ts";
import { validateSendRequest } from "../../src/message/send-request/send-request-validation.ts";
import { parseSendTime } from "../../src/message/send-time.ts";
import { readStatusToken } from "../../src/message/status-token.ts";
import { ContentCheck } from "../../src/message/submitted/content-check.ts";
import { singleMailbox } from "../../src/message/submitted/single-mailbox.ts";
import { readSubmitted } from "../../src/message/submitted/submitted-message.ts";
import { readUnsubscribeToken } from "../../src/message/unsubscribe-token.ts";
import { COMMAND_OCTETS_MAX } from "../../src/smtp-server/command-limits.ts";
import { ResponseStart } from "../../src/webhooks/response-start.ts";
import { retryAfterMs } from "../../src/webhooks/retry-after.ts";
import { contextOf, sampleDomain } from "../domains/sample.ts";
import type { FakeZone } from "../support/fake-resolver.ts";

export interface OutsideParser {
  name: string;
  length: number;
  /** What a hostile text is put into. */
  frames: readonly ((text: string) => string)[];
  parse: (text: string) => unknown;
}

/** The larger text of a DNS record is as long as one may be. */
const RECORD = TXT_BYTES_MAX / 2;
/** A line, a field, a form: nothing long gets this far. */
const SHORT = 8 * 1024;
/** A message or a body, of which the parsers read megabytes. */
const LONG = 48 * 1024;

const bare = (text: string): string => text;
const after = (prefix: string) => (text: string) => prefix + text;

const field = (name: string) => (text: string) =>
  `From: a@b.example\r\nTo: c@d.example\r\nMessage-ID: <x@b.example>\r\n${name}: ${text}\r\n\r\nbody\r\n`;

const mime =
  (type: string, encoding = "7bit") =>
  (text: string) =>
    `From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${text}\r\n`;

const MIXED = 'multipart/mixed; boundary="b"';
const part = (header: string) => (text: string) =>
  mime(MIXED)(`--b\r\n${header}\r\n\r\n${text}\r\n--b\r\nContent-Type: text/plain\r\n\r\nä\r\n--b--`);

const MESSAGES = [
  bare,
  ...["Subject", "Content-Type", "Content-Disposition"].map(field),
  field("Content-Type: multipart/mixed; boundary"),
  mime("text/plain"),
  mime("text/html"),
  mime("text/html", "quoted-printable"),
  mime("text/plain", "base64"),
  mime(MIXED),
  part("Content-Type: text/html"),
];

const REPORT_HEADER =
  "Subject: Undelivered Mail\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n";

const report = (type: string) => (text: string) =>
  `${REPORT_HEADER}--b\r\n\r\n550 5.1.1 a@b.example\r\n--b\r\nContent-Type: ${type}\r\n\r\n${text}\r\n--b--\r\n`;

const FEEDBACK = [
  ...MESSAGES,
  ...["message/delivery-status", "message/feedback-report", "message/rfc822"].map(report),
  (text: string) => report("message/delivery-status")(`Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; ${text}`),
  (text: string) => report("message/delivery-status")(`Reporting-MTA: dns; x\r\n\r\nDiagnostic-Code: smtp; ${text}`),
];

const octets = (text: string): Buffer => Buffer.from(text, "latin1");

/** A parser that rejects a text by an exception. */
const rejecting =
  <T>(parse: (input: T) => unknown) =>
  (input: T): unknown => {
    try {
      return parse(input);
    } catch (error) {
      return error;
    }
  };

const record = (name: string, prefixes: string[], parse: (text: string) => unknown): OutsideParser => ({
  name,
  length: RECORD,
  frames: [bare, ...prefixes.map(after)],
  parse,
});

const short = (name: string, parse: (text: string) => unknown, frames = [bare]): OutsideParser => ({
  name,
  length: SHORT,
  frames,
  parse,
});

const message = (name: string, parse: (content: Buffer) => unknown, frames = MESSAGES): OutsideParser => ({
  name,
  length: LONG,
  frames,
  parse: (text) => parse(octets(text)),
});

const json = (name: string, parse: (body: Buffer) => unknown, fields: string[] = []): OutsideParser => ({
  name,
  length: LONG,
  parse: (text: string) => parse(Buffer.from(text)),
  frames: [bare, after('{"a":"'), ...fields.map((each) => (text: string) => JSON.stringify({ [each]: text }))],
});

const DOMAIN = sampleDomain();
/** Every TXT and MX record of the domain is the text. */
const zoneOf = (text: string): FakeZone =>
  new Proxy({} as FakeZone, { get: () => ({ TXT: [text], MX: [`10 ${text}`], A: ["192.0.2.1"] }) });

const DNS_KINDS: RecordKind<unknown>[] = [A, AAAA, CNAME, MX, TLSA, TXT];
const DNS_HEADER = Buffer.from("000081800001000000000000 0161 0474657374 00 000f0001".replaceAll(" ", ""), "hex");
const DNS_RECORD_OCTETS = 20;

/** The text is the answer section. */
function readDnsReply(text: string, kind: RecordKind<unknown>): unknown {
  const bytes = Buffer.concat([DNS_HEADER, Buffer.from(text, "latin1")]);
  bytes.writeUInt16BE(Math.floor(text.length / DNS_RECORD_OCTETS), 6);
  const message = readMessage(bytes, kind.type);
  return message === null ? null : unlessMalformed(() => kind.read(message.bytes, message.answers));
}

/** MX records in the length of the text, each with the text's start for a name. */
const sameRecords = (text: string): string =>
  `\xc0\x0c\0\x0f\0\x01\0\0\0\0\0\x08\0\x01${text.slice(0, 4).padEnd(4, "\0")}\xc0\x0c`.repeat(
    text.length / DNS_RECORD_OCTETS,
  );

const RECORDS: OutsideParser[] = [
  record("SPF: recognition", ["v", 'v="', "v=spf", "spf"], (text) => [isSpf(text), looksLikeSpf(text)]),
  record("SPF: repair", ["v=spf1 ", "v = spf"], (text) => [
    repairVersion(text),
    findInvalidTerm(text),
    splitTerms(text).length,
    withMechanisms(text, ["a"]),
    mergeRecords([text, text]),
  ]),
  record("SPF: one term", ["redirect=", "a:", "ip4:", "exists:a.", "include:%{"], repairTerm),
  record("DMARC: recognition", ["v", "v=", "v=DMARC1", "dmarc"], (text) => [
    isDmarc(text),
    looksLikeDmarc(text),
    explainLookalike(text),
  ]),
  record("DMARC: record", ["v=DMARC1; ", "v=DMARC1; p=none; ", "v=DMARC1; p=", "v=DMARC1; p=none; rua="], (text) =>
    adviceOf(readDmarc(text)),
  ),
  record("DMARC: repair", ["v=DMARC1; ", "v=DMARC1; p=none; rua="], (text) => repairDmarc([text, text])),
  record("DMARC: addresses of reports", ["mailto:", "mailto:a@b,"], (text) => [
    isReportUri(text),
    repairUris(text),
    listsReportUri(text, "mailto:a@b.example"),
    withReportUri(`v=DMARC1;${text}`, "mailto:a@b.example"),
  ]),
  record("tag list", ["v=DKIM1; p="], (text) => [parseTagList(text), readTags(text)]),
  record("DKIM: repair", ["v=DKIM1; p=", "v=DKIM1; "], (text) =>
    repairDkim(text, `v=DKIM1; k=rsa; p=${DOMAIN.publicKey}`),
  ),
  record("TLSRPT record", ["v=TLSRPTv1; ", "v=TLSRPTv1; rua=", "v=TLSRPTv1; rua=mailto:"], (text) =>
    reportTargets([text]),
  ),
  record("DNS: names and servers", ["[", "1."], (text) => {
    normalizeName(text);
    isQueryableName(text);
    normalizeDomainName(text);
    rejecting(parseServer)(text);
  }),
  {
    // A record's owner, its rest, or all of the records; and names that point to names.
    name: "DNS: reply",
    length: LONG,
    parse: (text) => DNS_KINDS.map((kind) => readDnsReply(text, kind)),
    frames: [bare, ...["\xc0\x0c\0\x10\0\x01\0\0\0\0\xff\xff", "\x01a\xc0\x0c\0\x0f\0\x01"].map(after), sameRecords],
  },
  {
    name: "all checks of a domain",
    length: RECORD,
    parse: (text) => verifyDomain(DOMAIN, contextOf(zoneOf(text)), 0),
    frames: [
      bare,
      ...["v=spf1 ", "v=spf1 redirect=a.", "v=spf1 exists:%{", "v=DMARC1; p=none; rua=", "v=DKIM1; p="].map(after),
    ],
  },
];

const REPLY = { code: 550, enhanced_code: "5.1.1" };

const QUERY = queryReader({
  cursor: { type: "string", description: "a cursor", pattern: "^[A-Za-z0-9_-]+$" },
  email: { type: "string", description: "an address", format: "email" },
  since: { type: "string", description: "a moment", format: "date-time" },
});

const HTTP: OutsideParser[] = [
  record("HTTP: query of the API", ["cursor=", "email=", "email=a@", "since=2026-", "a=b&"], (text) =>
    rejecting(QUERY)({ query: parseQuery(text) } as Context),
  ),
  record("HTTP: cookies", ["session=", "a=b;", "; "], (text) => contextWithCookies(text).cookies.get("session")),
  {
    name: "response to a webhook",
    length: LONG,
    frames: [bare, after("{")],
    parse(text) {
      const start = new ResponseStart();
      start.add(octets(text));
      return start.text();
    },
  },
];

function contextWithCookies(cookie: string): Context {
  const req = Object.assign(new IncomingMessage(new Socket()), { headers: { cookie } });
  return new Koa().createContext(req, new ServerResponse(req)) as Context;
}

/** Of smtp-server, without a connection. */
const smtpCommands = Object.assign(Object.create(SMTPConnection.prototype), {
  _server: { options: {}, logger: { error: () => {} } },
}) as { _parseAddressCommand(name: string, command: string): unknown };

const PEERS: OutsideParser[] = [
  {
    name: "SMTP command: path and parameters",
    length: COMMAND_OCTETS_MAX / 2,
    frames: [
      bare,
      ...["<", "<@", "<a@", "<a@b.example> ", "<a@b.example> ENVID="].map((text) => after(`MAIL FROM:${text}`)),
    ],
    parse: (text) => smtpCommands._parseAddressCommand("MAIL FROM", text),
  },
  {
    name: "SMTP reply",
    length: LONG,
    frames: [bare, after("250-"), after("250 2.0.0 ")],
    parse: (text) => new ReplyParser().push(octets(text)),
  },
  {
    name: "SMTP reply: meaning",
    length: MESSAGE_BYTES_MAX / 2,
    frames: [bare, after("a@"), after("<a@"), after("http://")],
    parse: (text) => {
      const reply = { ...REPLY, message: text };
      classifyReply(reply, "rcpt");
      troubleOfReply(reply, "rcpt");
      sanitizeLines(text);
    },
  },
  {
    name: "MTA-STS policy",
    length: 32 * 1024,
    parse: readPolicy,
    frames: [bare, ...["version: STSv1\nmode: enforce\nmax_age: 1\n", "version: STSv1\nmx: "].map(after)],
  },
  record("MTA-STS record", ["v=STSv1;", "v=STSv1; id=", "v=STSv1; a=b; id="], (text) => policyId([text])),
  record("DNS: addresses and reverse names", ["1.", "::"], (text) => [
    canonicalAddress(text),
    addressOfReverseName(`${text}.in-addr.arpa`),
    addressOfReverseName(`${text}.ip6.arpa`),
  ]),
  {
    name: "reply to EHLO",
    length: MESSAGE_BYTES_MAX / 2,
    frames: [bare, after("host\nSIZE "), after("host\nLIMITS ")],
    parse: (text) => capabilitiesOf({ code: 250, enhanced_code: null, message: text }),
  },
  short("Retry-After", (text) => retryAfterMs(text, 0)),
];

const ADDRESSES: OutsideParser[] = [
  short("address", (text) => [parseMailbox(text), mailboxesIn(octets(`From: ${text}\r\n\r\n`), "from")], [
    bare,
    after('"'),
    after("a <"),
    after('"a" <'),
    after("a@"),
    after("a@b."),
  ]),
  short("address in a header", (text) => [singleMailbox(text), splitComments(text)], [
    bare,
    after("("),
    after("a@b.example "),
  ]),
  short("domain in Unicode and A-labels", (text) => [domainInAscii(text), domainInUnicode(text)], [
    bare,
    after("xn--"),
    after("ü"),
  ]),
  short("return path", (text) => readReturnPath(text, Buffer.alloc(32)), [bare, after("b-")]),
  short("Message-ID", momentOfMessageId, [bare, after("<")]),
  short("display name", displayNameFault),
  short("text in encoded words", encodedWords),
];

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
const KEY = {
  domain: "b.example",
  selector: "s",
  privateKey: createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })),
};
const SUBMITTED = { recipients: [], token: "t", dateMs: 0, eightBit: false, hashesBody: true };

const FIELDS = ["Subject", "From", "Reply-To", "To", "List-Unsubscribe", "Postrider-Tags", "Content-Type", "X"].map(
  field,
);

const LOOP_ARRIVAL = { recipient: "c@d.example", receivedAtMs: 0 };
const LOOP_KEY_NAME = "s._domainkey.senderscore.net";
const LOOP_TAGS = "v=1; a=rsa-sha256; d=senderscore.net; s=s; bh=AA==; b=AA==";
const LOOP_HEADER = "From: a@senderscore.net\r\nTo: c@d.example\r\n";
const LOOP_FRAMES = [
  ...["from:to", "from:to:x"].flatMap((names) =>
    ["relaxed/relaxed", "simple/simple"].map(
      (canonical) => (text: string) =>
        `DKIM-Signature: ${LOOP_TAGS}; c=${canonical}; h=${names}\r\n${LOOP_HEADER}\r\n${text}\r\n`,
    ),
  ),
  (text: string) => `DKIM-Signature: ${LOOP_TAGS}; h=from:to${text}\r\n${LOOP_HEADER}\r\na\r\n`,
  (text: string) => `DKIM-Signature: ${LOOP_TAGS}; h=from:to:x\r\n${LOOP_HEADER}X: ${text}\r\n\r\na\r\n`,
  (text: string) => `DKIM-Signature: ${text}\r\n${LOOP_HEADER}\r\na\r\n`,
  (text: string) => `${LOOP_HEADER}${text}\r\n\r\na\r\n`,
];

const INCOMING: OutsideParser[] = [
  message("submitted message", (content) => readSubmitted(content, SUBMITTED), [bare, ...FIELDS]),
  message("submitted content", (content) => new ContentCheck().add(content)),
  message("message in 7 bits", (content) => toSevenBit(content), [
    ...MESSAGES,
    part("Content-Type: text/plain; name=ä"),
    (text) => part("Content-Type: text/plain")(`${text}ä`),
    (text) => field("Subject")(`ä${text}`),
  ]),
  message("header in ASCII", (content) => withAsciiHeader(content), [
    ...FIELDS,
    ...["Cc", "Reply-To", "List-Unsubscribe", "Content-Type"].map(
      (name) => (text: string) => field(name)(`ä@b.example${text}`),
    ),
    (text) => field("Cc")(`${text}ä@b.example`),
    (text) => field("Cc")(`g: ${text}ä@b.example;`),
  ]),
  short(
    "signature",
    (text) => {
      // Only CRLF gets as far as a signature.
      const bytes = octets(text.replace(/\r\n|[\r\n]/g, "\r\n"));
      dkimSignature({ header: bytes.toString("latin1"), bodyHash: contentOf(bytes).bodyHash }, KEY);
    },
    [bare, ...FIELDS],
  ),
  message("forwarded message", (content) => [attachedMessage(content), forwardedSubject(content)]),
  message(
    "header of an incoming message",
    (content) => {
      const header = headerText(content);
      return [isAutoSubmitted(header), receivedFields(header)];
    },
    [bare, ...["Subject", "Auto-Submitted", "Received"].map(field)],
  ),
  message("bounce or complaint", (content) => readFeedback(content), FEEDBACK),
  message(
    "signature of a feedback loop",
    (content) => {
      loopKeyNames(content, LOOP_ARRIVAL);
      return isSignedByLoop(content, LOOP_ARRIVAL, new Map([[LOOP_KEY_NAME, ["v=DKIM1; p="]]]));
    },
    LOOP_FRAMES,
  ),
  message("encoded words", (content) => decodeWords(content.toString()), [bare, after("=?utf-8?q?")]),
];

const XML = '<?xml version="1.0"?><feedback><report_metadata><org_name>a</org_name><report_id>b</report_id>';

const REPORTS: OutsideParser[] = [
  message("mail with a report", (content) => readSenderReport(content), [bare, mime("application/gzip", "base64")]),
  {
    name: "DMARC report",
    length: LONG,
    frames: [bare, after("<"), after(XML), after(`${XML}<a b="`), after(`${XML}<!--`)],
    parse: (text) => readSenderReport(octets(mime("application/gzip", "base64")(gzipSync(text).toString("base64")))),
  },
  json(
    "TLS report",
    rejecting((body) => readTlsReport(body.toString())),
    ["organization-name"],
  ),
];

const VIEWS: OutsideParser[] = [
  message("page of a message", (content) => readContent(content)),
  message("HTML of a message", (content) => [htmlDocumentOf(content), bodiesOf(content)]),
  message("files of a message", (content) => [attachedFiles(content), attachedFile(content, 0)]),
  message("images of a message", (content) => withInlineImages(content.toString("latin1"), content), [
    bare,
    after('<img src="cid:'),
  ]),
  message(
    "transfer encodings",
    (content) => {
      for (const encoding of ["quoted-printable", "base64"]) decodeTransfer(content, encoding, content.length);
      decodeBase64(content.toString("latin1"));
    },
    [bare],
  ),
];

const OPTIONS = { recipientsMax: 50, token: "t", dateMs: 0, boundary: "b" };
const REQUEST = { from: "a@b.example", to: "c@d.example", subject: "s", text: "t" };
const OWNER = { user: { operator: false }, account: {}, role: "owner" } as unknown as Parameters<typeof mayRequest>[0];

const NO_SUPPRESSIONS = { suppressions: async () => ({ addresses: [], next: null }) };

const REQUESTS: OutsideParser[] = [
  json("JSON text", parseJson),
  json("byte arrays in JSON", encodeByteArrays, ["content", "data"]),
  json("request of Resend's API", (body) => [parseResendMessage(body, OPTIONS), parseResendBatch(body, OPTIONS)], [
    "from",
    "to",
    "subject",
    "html",
  ]),
  {
    name: "batch of send requests",
    length: LONG,
    parse: (text) => parseBatch(Buffer.from(text), OPTIONS),
    frames: [
      bare,
      after('{"messages":'),
      after('{"messages":[{"idempotency_key":"'),
      (text) => JSON.stringify({ messages: [{ ...REQUEST, idempotency_key: text }, text] }),
    ],
  },
  {
    name: "send request",
    length: LONG,
    parse: (text) => validateSendRequest(JSON.parse(text), { recipientsMax: 50 }),
    frames: ["from", "to", "subject", "html", "text", "tags", "idempotency_key", "expires_in"].map(
      (name) => (text: string) => JSON.stringify({ ...REQUEST, [name]: text }),
    ),
  },
  short("send time", (text) => parseSendTime(text, 0), [
    bare,
    after("2030-01-31T09:00:00."),
    after("2030-01-31T09:00:00Z"),
  ]),
  short("custom header", (text) => [headerNameError(text), headerValueError({ name: "X-A", value: text })]),
  short(
    "Idempotency-Key",
    rejecting((text) => readIdempotencyKey([text])),
    [bare, after('"')],
  ),
  short("X-Forwarded-For", (text) =>
    clientAddress({ headers: { "x-forwarded-for": text }, socket: {} } as unknown as IncomingMessage, 1),
  ),
  {
    name: "import of suppressed addresses",
    length: LONG,
    parse: rejecting((text) => {
      const reader = new ImportReader();
      let rows = 0;
      for (const part of [reader.push(Buffer.from(text)), reader.end()]) for (const _ of part) rows += 1;
      return rows;
    }),
    frames: [
      bare,
      ...[
        "a@b.example\n",
        "email,cause\n",
        "email;created;reason\n1;",
        'email,cause\n"',
        "[",
        '{"data":[',
        '{"email":"',
      ].map(after),
      (text) => `EmailAddress,Reason\n${text},BOUNCE\n`,
      (text) => `email,cause,since,until\na@b.example,manual,${text},${text}\n`,
      (text) => JSON.stringify({ email: text, cause: text, until: text }),
    ],
  },
  short("cursor of suppressed addresses", (text) =>
    listSuppressions(NO_SUPPRESSIONS, { accountId: "", suppressAfter: 3, nowMs: 0, limit: 1, cursor: text }),
  ),
  short("search text", (text) => queryOf(text, null), [bare, after("message-id:"), after("<")]),
  short("path of a request", (text) => mayRequest(OWNER, `GET ${text}`), [bare, after("/messages/"), after("/a?")]),
  short("form or query of the dashboard", (text) => readSearch(Object.fromEntries(new URLSearchParams(text))), [
    bare,
    after("q="),
    after("since="),
    after("recipient=%"),
  ]),
  short("URL of a webhook", (text) => webhookUrlFault(text, { allowPrivate: false }), [
    bare,
    after("https://"),
    after("https://a.example/"),
  ]),
  short(
    "--since of the command line",
    rejecting((text) => parseSince(text, 0)),
  ),
  short("status token", (text) => readStatusToken(text, Buffer.alloc(32))),
  short("unsubscribe token", (text) => readUnsubscribeToken(text, Buffer.alloc(32))),
];
export const OUTSIDE_PARSERS: readonly OutsideParser[] = [
  ...RECORDS,
  ...HTTP,
  ...PEERS,
  ...ADDRESSES,
  ...INCOMING,
  ...REPORTS,
  ...VIEWS,
  ...REQUESTS,
];
