/**
 * Every request is either rejected or becomes a message with exactly our header fields and complete lines, which no
 * server can read as two messages.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { assertCrlfOnly, endsLine, wireBlocks } from "../../src/delivery/smtp/content.ts";
import { parseMailbox } from "../../src/message/address.ts";
import { compose } from "../../src/message/compose/compose.ts";
import { unsignedOf } from "../../src/message/content.ts";
import { dkimSignature } from "../../src/message/dkim.ts";
import { validateSendRequest } from "../../src/message/send-request/send-request-validation.ts";
import { FIELDS, hostileText, runs } from "./hostile.ts";

const STAMP = { messageId: "<id@sender.example>", date: new Date(0), boundary: "b0undary" };
const address = fc.oneof(
  hostileText,
  hostileText.map((name) => `"${name}" <a@b.example>`),
  hostileText.map((name) => `${name} <a@b.example>`),
  hostileText.map((local) => `${local}@b.example`),
  hostileText.map((domain) => `a@${domain}`),
  fc.emailAddress(),
);

const request = fc.record(
  {
    from: fc.oneof({ weight: 1, arbitrary: address }, { weight: 2, arbitrary: fc.constant("Shop <a@sender.example>") }),
    to: fc.oneof(address, fc.array(address, { maxLength: 4 }), fc.constant("b@b.example")),
    subject: hostileText,
    html: hostileText,
    text: hostileText,
  },
  { requiredKeys: ["from", "to", "subject", "text"] },
);

/** The field names of a header, unfolded. */
function fieldNames(content: string): string[] {
  const head = content.slice(0, content.indexOf("\r\n\r\n"));
  return head
    .replaceAll(/\r\n[ \t]/g, " ")
    .split("\r\n")
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
}

test("a request becomes a message with our header fields, once each, without bare CR or LF", () => {
  let valid = 0;
  fc.assert(
    fc.property(request, (body) => {
      const read = validateSendRequest(body, { recipientsMax: 50 });
      if (read.type === "invalid")
        return assert.ok(read.errors.length > 0 && read.errors.every(({ detail }) => detail !== ""));
      valid += 1;
      const content = compose(read.submission, STAMP).bytes;
      assertCrlfOnly(content);
      const names = fieldNames(content.toString("latin1"));
      assert.equal(new Set(names).size, names.length, names.join());
      for (const name of names) assert.ok(FIELDS.has(name), `the field ${JSON.stringify(name)}`);
      for (const line of content.toString("latin1").split("\r\n")) assert.ok(line.length <= 998);
    }),
    { ...runs(3000), examples: [[{ from: "a@sender.example", to: "b@b.example", subject: "x", text: "y" }]] },
  );
  assert.ok(valid > 100, `only ${valid} of the requests were valid`);
});

test("any JSON is accepted or rejected without an exception", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(hostileText, fc.jsonValue())), (body) => {
      const read = validateSendRequest(body, { recipientsMax: 50 });
      assert.ok(read.type === "valid" || read.errors.length > 0);
    }),
    runs(3000),
  );
});

test("an accepted address is one word in SMTP, with an ASCII domain, and parses to the same again", () => {
  let valid = 0;
  fc.assert(
    fc.property(address, (text) => {
      const mailbox = parseMailbox(text);
      if (mailbox.type === "invalid") return assert.ok(mailbox.detail.length > 0 && !/[\r\n\0]/.test(mailbox.detail));
      valid += 1;
      assert.doesNotMatch(`${mailbox.local}@${mailbox.domain}`, /[\p{Cc}]/u);
      assert.match(mailbox.domain, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/);
      assert.doesNotMatch(mailbox.domain, /^[\d.]+$/, "rejects an address literal as a domain");
      // Outside quotes, no character may end the path that contains the address.
      if (!mailbox.local.startsWith('"')) assert.doesNotMatch(mailbox.local, /[<>\s"\\]/);
      const again = parseMailbox(mailbox.address);
      assert.ok(again.type === "valid" && again.local === mailbox.local && again.domain === mailbox.domain);
    }),
    runs(5000),
  );
  assert.ok(valid > 200, `only ${valid} of the addresses were valid`);
});

/** Parses the bytes after DATA like a server: the message, and the commands after it. */
function received(wire: string): { message: string; rest: string } {
  const at = `\r\n${wire}`.indexOf("\r\n.\r\n");
  return { message: wire.slice(0, at).replaceAll(/(^|\r\n)\./g, "$1"), rest: wire.slice(at + 3) };
}

test("dot-stuffing: a server finds one end and the original message, whatever the block boundaries", () => {
  const line = fc.oneof(
    fc.constantFrom("", ".", "..", ". ", ".\u00e9", "MAIL FROM:<a@b>", "QUIT"),
    fc.string({ maxLength: 10 }),
  );
  const lines = fc.array(
    line.map((text) => text.replaceAll(/[\r\n]/g, "")),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, fc.boolean(), fc.integer({ min: 1, max: 40 }), (texts, isWhole, blockBytes) => {
      const content = Buffer.from(texts.join("\r\n") + (isWhole ? "\r\n" : ""));
      const prefix = Buffer.from("DKIM-Signature: x\r\n");
      const wire = Buffer.concat([...wireBlocks([prefix, content], blockBytes)]);
      const { message, rest } = received(wire.toString("latin1"));
      const sent = Buffer.concat([prefix, content]).toString("latin1");
      assert.deepEqual({ message, rest }, { message: endsLine(content) ? sent : `${sent}\r\n`, rest: "" });
    }),
    runs(3000),
  );
});

test("a signature is one field, whatever the body", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const key = { domain: "sender.example", selector: "s", privateKey };
  fc.assert(
    fc.property(hostileText, hostileText, (subject, text) => {
      const read = validateSendRequest(
        { from: "a@sender.example", to: "b@b.example", subject, text },
        { recipientsMax: 1 },
      );
      if (read.type === "invalid") return;
      const signature = dkimSignature(unsignedOf(compose(read.submission, STAMP)), key);
      assertCrlfOnly(signature);
      assert.match(signature.toString("latin1"), /^DKIM-Signature: [^\r\n]*\r\n([ \t][^\r\n]*\r\n)*$/i);
    }),
    runs(500),
  );
});
