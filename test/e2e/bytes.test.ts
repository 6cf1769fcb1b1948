/** The bytes that the receiver gets: the wire format, the DKIM signature and the content. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { headerField } from "../../src/testing/sink/header.ts";
import type { SinkEntry } from "../../src/testing/sink/mailbox.ts";
import { judge, type Verdicts } from "../../src/testing/sink/verdicts.ts";
import { isFinal, pollUntil, send, sendAndReport } from "../support/api-client.ts";
import { fieldsOf, leavesOf, valuesOf } from "../support/mime.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import { SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const LINE_OCTETS_MAX = 998;

interface Received {
  content: Buffer;
  entry: SinkEntry;
  messageId: string;
}

/** Sends to the sink. Returns the exact bytes it received. */
async function received(world: World, parts: Record<string, unknown>): Promise<Received> {
  const report = await sendAndReport(apiTarget(world), sendBody(parts));
  assert.deepEqual(
    report.recipients.map((r) => r.result),
    ["delivered"],
    JSON.stringify(report.recipients),
  );
  const entries = world.sink.entries.filter((entry) => entry.message_id === report.message_id);
  const [entry] = entries;
  assert.ok(entries.length === 1 && entry?.file != null);
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file));
  return { content, entry, messageId: report.message_id };
}

function assertVerified({ dkim, spf, dmarc }: Verdicts): void {
  assert.deepEqual([dkim.result, dkim.aligned, dkim.domain], ["pass", true, SENDER_DOMAIN], dkim.comment ?? "");
  assert.deepEqual([spf.result, spf.domain], ["pass", SENDER_DOMAIN], spf.comment ?? "");
  assert.deepEqual([dmarc.result, dmarc.domain], ["pass", SENDER_DOMAIN], dmarc.comment ?? "");
}

/** Lines end only with CRLF, none is too long, and every byte is 7-bit. */
function assertPlainLines(content: Buffer): void {
  const text = content.toString("latin1");
  assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n/, "a bare CR or LF");
  assert.doesNotMatch(text, /[^\t\r\n -~]/, "other than printable ASCII");
  assert.ok(text.endsWith("\r\n"), "the last line does not end");
  const longest = Math.max(...text.split("\r\n").map((line) => line.length));
  assert.ok(longest <= LINE_OCTETS_MAX, `a line of ${longest} octets`);
}

function assertFields(content: Buffer, messageId: string): void {
  assert.deepEqual(valuesOf(content, "Message-ID"), [messageId]);
  assert.deepEqual(valuesOf(content, "MIME-Version"), ["1.0"]);
  const [date = "", ...more] = valuesOf(content, "Date");
  assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000 && more.length === 0, `Date: ${date}`);
  for (const name of ["From", "To", "Subject"]) assert.equal(valuesOf(content, name).length, 1, name);
  for (const name of ["Bcc", "X-Mailer"]) assert.deepEqual(valuesOf(content, name), []);
  const [signature = "", ...others] = valuesOf(content, "DKIM-Signature");
  assert.equal(others.length, 0);
  assert.match(signature, /\ba=rsa-sha256;/);
  assert.doesNotMatch(signature, /(^|;)\s*l=/);
  const signed = (/\bh=([^;]+)/.exec(signature)?.[1] ?? "").toLowerCase().split(":");
  for (const name of ["from", "to", "subject", "date", "message-id", "mime-version", "content-type"]) {
    assert.ok(signed.map((field) => field.trim()).includes(name), `${name} is not signed`);
  }
}

/** A text as a receiver may display it: lines end with LF, and the end of the last one is ignored. */
const shown = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");

const LINE = "The quick brown fox jumps over the lazy dog, 0123456789 times.\n";
const HTML = "<html><body><p>Hello <b>there</b>.</p></body></html>";

const bodies: Record<string, { text?: string; html?: string }> = {
  "plain text": { text: "Hi there" },
  HTML: { html: HTML },
  both: { text: "Hello there.", html: HTML },
  "UTF-8": { text: "Grüße aus Köln — 你好 👋\n".repeat(20), html: "<p>Grüße 👋</p>" },
  "dots at line starts": { text: ".\n..\n...\n.hidden\nmiddle\n.\n\n.\n" },
  "bare CR, bare LF, and SMTP smuggling sequences": {
    text: "one\rtwo\nthree\r\nfour\n.\nMAIL FROM:<evil@shop.example>\r.\rRCPT TO:<x@y.example>\r\n.\r\n.\n\n\rend",
  },
  "an empty text": { text: "" },
  "an empty HTML": { html: "" },
  "only blanks": { text: " \n\t\n  " },
  "no line end": { text: "no line end" },
  "spaces at line ends": { text: "trailing  \n\ttabs\t\t\n-- \nsignature" },
  "20,000 blank lines": { text: `above${"\n".repeat(20_000)}below` },
  "20,000 blank lines at the end": { text: `above${"\n".repeat(20_000)}` },
  "lines of 5,000 characters": {
    text: `${"x".repeat(5000)}\n${"y z ".repeat(1250)}\n`,
    html: `<p>${"a".repeat(5000)}`,
  },
  "lines of 5,000 wide characters": { text: `${"ü".repeat(5000)}\n${"👋".repeat(5000)}\n` },
  "5 MB": { text: LINE.repeat(Math.ceil(5_000_000 / LINE.length)) },
};

async function checkBody(world: World, { text, html }: { text?: string; html?: string }): Promise<void> {
  const parts = { text, html, subject: "Grüße, again" };
  const { content, entry, messageId } = await received(world, parts);
  assertVerified(entry);
  assertPlainLines(content);
  assertFields(content, messageId);
  const leaves = leavesOf(content);
  const wanted = [
    ...(text === undefined ? [] : [{ type: "text/plain", text: shown(text) }]),
    ...(html === undefined ? [] : [{ type: "text/html", text: shown(html) }]),
  ];
  // Compared as a whole first: the diff of megabytes would be unreadable.
  const same = JSON.stringify(leaves.map((l) => ({ ...l, text: shown(l.text) }))) === JSON.stringify(wanted);
  assert.ok(same, `the body differs: ${JSON.stringify(leaves).slice(0, 500)}`);
}

const subjects = [
  "Plain",
  "",
  "Grüße, ✓ und 👋",
  '"Quoted" (and) <angled>, with; marks: all @ once',
  "=?utf-8?q?looks_encoded?=",
  " spaces  at the  ends ",
  `long ${"words of a long subject ".repeat(30)}`.trim(),
  "W".repeat(400),
  "äöü👋".repeat(60),
  "a tab\tinside",
  "W".repeat(998),
  "😀".repeat(998),
];

const names: [written: string, shownAs: string][] = [
  ["Ann", "Ann"],
  ['"Smith, John"', '"Smith, John"'],
  ['"a \\"nick\\" name"', '"a \\"nick\\" name"'],
  ["Jörg Müller", "Jörg Müller"],
  ['"Müller, Jörg (KG); 你好 👋"', "Müller, Jörg (KG); 你好 👋"],
  ["=?utf-8?q?fake?=", "=?utf-8?q?fake?="],
];

async function checkDisplayName(world: World, [written, shownAs]: [string, string]): Promise<void> {
  const { content, entry } = await received(world, {
    from: `${written} <hello@${SENDER_DOMAIN}>`,
    to: `${written} <delivered@customers.example>`,
  });
  assert.equal(headerField(content, "From"), `${shownAs} <hello@${SENDER_DOMAIN}>`);
  assert.equal(headerField(content, "To"), `${shownAs} <delivered@customers.example>`);
  assertVerified(entry);
}

/** On the wire, dots at line starts are doubled, and a single dot ends the message. */
async function checkWireFormat(t: TestContext, world: World): Promise<void> {
  const peer = await startExchanger(t, world, { domain: "wire.example" });
  const text = `${".\n..\nx\r.\r.y\n".repeat(9000)}${"long ".repeat(1000)}\n${"ü".repeat(1000)}\n.`;
  const report = await sendAndReport(apiTarget(world), sendBody({ to: "ann@wire.example", text }));
  assert.deepEqual(
    report.recipients.map((r) => r.result),
    ["delivered"],
  );
  assert.equal(peer.transactions.length, 1);
  const [{ raw, message } = { raw: Buffer.alloc(0), message: Buffer.alloc(0) }] = peer.transactions;
  const lines = raw.toString("latin1").split("\r\n");
  assert.deepEqual(lines.slice(-2), [".", ""]);
  const singleDots = lines.slice(0, -2).filter((line) => line.startsWith(".") && !line.startsWith(".."));
  assert.deepEqual(singleDots, []);
  assertPlainLines(message);
  assert.deepEqual(
    leavesOf(message).map((leaf) => shown(leaf.text) === shown(text)),
    [true],
  );
  const clientIp = "127.0.0.1";
  const about = { mailFrom: `hello@${SENDER_DOMAIN}`, clientIp, ehlo: "mta.shop.example" };
  assertVerified(await judge({ content: message, ...about }, world.resolver));
}

async function checkHeaderFields(world: World): Promise<void> {
  for (const parts of [{ text: "Hi" }, { html: HTML, text: undefined }, { text: "Hi", html: HTML }, { subject: "" }]) {
    const { content, entry, messageId } = await received(world, parts);
    assertFields(content, messageId);
    assertVerified(entry);
  }
}

/** A retry sends the same message: only the signature may differ. */
async function checkRetries(t: TestContext, world: World): Promise<void> {
  let dots = 0;
  const dot = () => (dots++ < 2 ? "451 4.7.1 greylisted" : undefined);
  const peer = await startExchanger(t, world, { domain: "grey.example", script: { dot } });
  const target = apiTarget(world);
  const body = sendBody({ to: "ann@grey.example", text: "Hi", html: HTML });
  const report = await pollUntil(target, await send(target, body), isFinal);
  assert.deepEqual(
    report.recipients.map((r) => [r.result, r.attempts]),
    [["delivered", 3]],
  );
  const messages = peer.transactions.map((transaction) => transaction.message);
  assert.equal(messages.length, 3);
  const [first, ...later] = messages.map(withoutSignature);
  for (const message of later) assert.deepEqual(message, first);
  for (const message of messages) assertFields(message, report.message_id);
  assert.match(first?.fields.join() ?? "", /boundary=/);
}

function withoutSignature(message: Buffer): { fields: string[]; body: string } {
  const fields = fieldsOf(message).filter((field) => field.name !== "DKIM-Signature");
  const body = message.subarray(message.indexOf("\r\n\r\n"));
  return { fields: fields.map(({ name, value }) => `${name}: ${value}`), body: body.toString("latin1") };
}

// Sent in batches: on a busy machine the sink's DKIM check would exceed its 3 seconds.
test("bytes", { concurrency: 4 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  await Promise.all([
    ...Object.entries(bodies).map(([name, body]) => t.test(`body: ${name}`, () => checkBody(world, body))),
    ...subjects.map((subject) =>
      t.test(`subject: ${subject.slice(0, 30)}`, async () => {
        const { content, entry } = await received(world, { subject });
        assert.equal(headerField(content, "Subject"), subject);
        assertVerified(entry);
        assertPlainLines(content);
      }),
    ),
    ...names.map((name) => t.test(`name: ${name[0]}`, () => checkDisplayName(world, name))),
    t.test("only CRLF ends lines, no line exceeds 998 octets, dots are stuffed, and DKIM verifies", (sub) =>
      checkWireFormat(sub, world),
    ),
    t.test("each retry sends the same message: Message-ID, Date, boundary and body do not change", (sub) =>
      checkRetries(sub, world),
    ),
    t.test("always has Message-ID, Date and MIME-Version, never Bcc, and one rsa-sha256 signature without l=", () =>
      checkHeaderFields(world),
    ),
  ]);
});
