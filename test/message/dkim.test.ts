/**
 * Signatures, verified by mailauth and by the implementation of RFC 6376 below. mailauth deviates from the RFC for a header's
 * byte A0 and for a space at the end of an unterminated last line.
 */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { parseMailbox } from "../../src/message/address.ts";
import { compose } from "../../src/message/compose/compose.ts";
import { contentOf, unsignedOf } from "../../src/message/content.ts";
import { dkimSignature, type SigningKey } from "../../src/message/dkim.ts";
import { validateSendRequest } from "../../src/message/send-request/send-request-validation.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { domain: "a.example", selector: "s1", privateKey };
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const OVERSIGNED = "from to cc subject date reply-to content-type list-unsubscribe list-unsubscribe-post".split(" ");
const HEADER = "From: a@a.example\r\nTo: b@b.example\r\nSubject: Hi\r\n";

/** RFC 6376 §3.4.4, on bytes. */
function relaxedBody(body: string): string {
  const lines = body.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${line}\r\n`).join("");
}

/** RFC 6376 §3.4.2, on bytes. */
function relaxedField(field: string): string {
  const colon = field.indexOf(":");
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ");
  return `${field.slice(0, colon).trim().toLowerCase()}:${value.replace(/^ | $/g, "")}`;
}

const nameOf = (field: string): string => field.slice(0, field.indexOf(":")).trim().toLowerCase();

/** RFC 6376 §6.1.3: whether body hash and signature are valid, and the signature's tags. */
function verifyByRfc(
  signature: Buffer,
  content: Buffer,
): { tags: Record<string, string>; body: boolean; signature: boolean } {
  const bytes = content.toString("latin1");
  const end = bytes.indexOf("\r\n\r\n");
  const fields = bytes.slice(0, end).split(/\r\n(?![ \t])/);
  const own = signature.toString("latin1").replace(/\r\n$/, "");
  const tags = Object.fromEntries(
    own
      .slice(own.indexOf(":") + 1)
      .split(";")
      .map((tag) => [tag.split("=")[0]?.trim(), tag.slice(tag.indexOf("=") + 1).replace(/\s/g, "")]),
  );
  const signed = String(tags.h)
    .split(":")
    .map((name) => {
      const index = fields.findLastIndex((field) => nameOf(field) === name.toLowerCase());
      return index < 0 ? "" : `${relaxedField(fields.splice(index, 1)[0] ?? "")}\r\n`;
    });
  const data = signed.join("") + relaxedField(own.replace(/([;\s]b=)[^;]*/, "$1"));
  const hash = createHash("sha256")
    .update(relaxedBody(bytes.slice(end + 4)), "latin1")
    .digest("base64");
  return {
    tags,
    body: hash === tags.bh,
    signature: verify("RSA-SHA256", Buffer.from(data, "latin1"), publicKey, Buffer.from(String(tags.b), "base64")),
  };
}

const signed = (bytes: Buffer, by: SigningKey): Buffer => dkimSignature(unsignedOf(contentOf(bytes)), by);

async function verifyByMailauth(signature: Buffer, content: Buffer): Promise<string | undefined> {
  const resolver = async (name: string, type: string) => {
    assert.deepEqual([name, type], ["s1._domainkey.a.example", "TXT"]);
    return [[record]];
  };
  const { results } = await dkimVerify(Buffer.concat([signature, content]), { resolver });
  return results[0]?.status.result;
}

async function assertSigned(content: Buffer, verifiers: "both" | "rfc" = "both"): Promise<Record<string, string>> {
  const signature = signed(content, key);
  assert.match(signature.toString(), /^DKIM-Signature: [^\r\n]+\r\n([ \t][^\r\n]+\r\n)*$/, "one folded field");
  for (const line of signature.toString().split("\r\n")) assert.ok(line.length <= 998);
  const { tags, ...valid } = verifyByRfc(signature, content);
  assert.deepEqual(valid, { body: true, signature: true });
  if (verifiers === "both") assert.equal(await verifyByMailauth(signature, content), "pass");
  return tags;
}

function composed(request: Record<string, unknown>): Buffer {
  const outcome = validateSendRequest(
    { from: "A <a@a.example>", to: "b@b.example", subject: "Hi", ...request },
    { recipientsMax: 5 },
  );
  assert.ok(outcome.type === "valid");
  return compose(outcome.submission, { messageId: "<id@mx.example>", date: new Date(0), boundary: "b" }).bytes;
}

const REQUESTS: Record<string, Record<string, unknown>> = {
  text: { text: "Hello\n\nthere\n" },
  html: { html: "<p>Hello</p>" },
  "text and html": { text: "Hello", html: "<p>Hello</p>" },
  "UTF-8 everywhere": {
    from: "Zoë <a@a.example>",
    to: ["日本 <b@b.example>"],
    subject: "é".repeat(200),
    text: "é 日本 😀",
  },
  "dots and bare line ends": { text: ".\n..\r.a\r\n\n.\r" },
  "an empty text": { text: "" },
  "an empty html": { html: "" },
  "blank lines only": { text: "\n \n\t\n" },
  "trailing white space": { text: "a  \nb\t \n  \n c  d \t\n\n\n" },
  "a non-breaking space": { text: "a\u00a0b \u00a0\n\u2028" },
  "vertical tab and form feed": { text: "a\vb\f\n" },
  "long lines": { text: `${"x".repeat(5000)}\n${"é".repeat(5000)}`, html: "y".repeat(5000) },
  "20,000 blank lines": { text: `a${"\n".repeat(20_000)}b` },
  "5 MB": { text: "The quick brown fox jumps over the lazy dog. \n".repeat(110_000) },
  "a long, folded header": {
    subject: "word ".repeat(199).trim(),
    to: ["b@b.example", '"A, B" <c@b.example>'],
    text: "a",
  },
};

for (const [name, request] of Object.entries(REQUESTS)) {
  test(`a composed message verifies: ${name}`, async () => {
    await assertSigned(composed(request));
  });
}

/** Quadratic time at this size is minutes. */
const MANY = process.env.CI === "true" ? 2_000_000 : 300_000;

const BODIES: Record<string, string | Buffer> = {
  empty: "",
  "one blank line": "\r\n",
  "blank lines with white space": " \r\n\t\r\n \t ",
  "no final CRLF": "a",
  "no final CRLF, white space at the end": "a\t \t",
  "white space on blank lines": "\r\n \r\na\r\n \t\r\n\r\n b\r\n",
  "blank lines at the end": "a\r\n\r\n \r\n\t\r\n",
  "one blank line at the end": "a\r\n\r\n",
  "one space at a line's end": "a \r\nb\r\n",
  "one space at a line's beginning": " a\r\nb\r\n",
  "two spaces": "a  b\r\n",
  "one tab": "a\tb\r\n",
  "tabs and runs": "\ta \t b\t\tc  \r\n",
  dots: ".\r\n..\r\n",
  "8-bit text": "né à Привет\r\n",
  "Unicode white space": "a\u00a0\u2003b\u2028c\u3000\r\n\ufeffd \u00a0\r\n",
  "vertical tab and form feed": "a\v\fb\v\r\n\f\r\n",
  "not UTF-8": Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x20, 0xa0, 0x0d, 0x0a]),
  "NUL and DEL": "a\0b\x7f\r\n",
  "an unbroken line": `${"x".repeat(100_000)}\r\n`,
  "64 KiB": `${"x".repeat(62)}\r\n`.repeat(1024),
  "a run of 300 spaces": `a${" ".repeat(300)}b\r\n`,
  "very many blank lines": `a${"\r\n".repeat(MANY)}b\r\n`,
  "very many spaces": `a${" ".repeat(MANY)}b\r\n`,
};

for (const [name, body] of Object.entries(BODIES)) {
  test(`a body verifies: ${name}`, async () => {
    await assertSigned(Buffer.concat([Buffer.from(`${HEADER}\r\n`), Buffer.from(body)]));
  });
  test(`a body verifies beside a non-ASCII address: ${name}`, async () => {
    const header = "From: a@a.example\r\nTo: jörg@b.example, à@b.example, Ра@b.example\r\nSubject: Hi\r\n\r\n";
    await assertSigned(Buffer.concat([Buffer.from(header), Buffer.from(body)]), "rfc");
  });
}

const SUBJECTS: Record<string, string> = {
  "two spaces": "a  b",
  "a tab": "a\tb",
  folded: "a\r\n b",
  "spaces at both ends": " a b ",
  colons: "a: b:c",
};

for (const [name, subject] of Object.entries(SUBJECTS)) {
  test(`a header field verifies: ${name}`, async () => {
    await assertSigned(Buffer.from(`From: a@a.example\r\nTO: b@b.example\r\nSubject:${subject}\r\n\r\na\r\n`));
  });
}

test("a space at the end of an unterminated last line is removed", async () => {
  await assertSigned(Buffer.from(`${HEADER}\r\na `), "rfc");
  await assertSigned(Buffer.from(`${HEADER}\r\né `), "rfc");
});

test("a message without an empty line has an empty body", async () => {
  const content = Buffer.from(`${HEADER}\r\n`);
  assert.deepEqual(signed(Buffer.from(HEADER.trimEnd()), key), signed(content, key));
});

test("the tags: rsa-sha256, relaxed, the key's domain and selector, no l= and no x=", async () => {
  for (const text of ["a", "a\u00a0", `a${"\n".repeat(1000)}b`]) {
    const tags = await assertSigned(composed({ text }));
    const { b: _, bh: __, h, ...rest } = tags;
    assert.deepEqual(rest, { v: "1", a: "rsa-sha256", c: "relaxed/relaxed", d: "a.example", s: "s1", q: "dns/txt" });
    const signed = "content-transfer-encoding content-type date from message-id mime-version subject to".split(" ");
    assert.deepEqual(h?.split(":").toSorted(), [...signed, ...OVERSIGNED].toSorted());
  }
});

test("Cc, Reply-To, List- fields and Feedback-ID are signed if present, other fields are not", async () => {
  const more = "Cc: c@b.example\r\nReply-To: r@a.example\r\nList-Unsubscribe: <https://a.example/u>\r\nX-Other: x\r\n";
  const lists =
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nList-Id: <l.a.example>\r\nReceived: from x\r\nFeedback-ID: ::a:sender\r\n";
  for (const body of ["a\r\n", ""]) {
    const tags = await assertSigned(Buffer.from(`${HEADER}${more}${lists}\r\n${body}`));
    const signed = "cc feedback-id from list-id list-unsubscribe list-unsubscribe-post reply-to subject to".split(" ");
    assert.deepEqual(tags.h?.split(":").toSorted(), [...signed, ...OVERSIGNED].toSorted());
  }
});

test("each key makes a signature of its own, which the other does not change", () => {
  const other = { domain: "b.example", selector: "s2", privateKey };
  const content = composed({ text: "Hi" });
  const both = dkimSignature(unsignedOf(contentOf(content)), key, other);
  assert.deepEqual(both, Buffer.concat([signed(content, key), signed(content, other)]));
});

test("empty fields are signed too and cannot be filled in transit", async () => {
  for (const text of ["a", "a\u00a0", ""]) {
    const content = composed({ subject: "", text });
    const tags = await assertSigned(content);
    assert.equal(tags.h?.split(":").filter((name) => name === "subject").length, 2);
    const filled = Buffer.from(content.toString().replace("Subject:", "Subject: Pay now"));
    assert.notEqual(filled.length, content.length);
    assert.notEqual(await verifyByMailauth(signed(content, key), filled), "pass");
  }
  const header = `${HEADER.replace("Hi", "")}Cc:\r\nReply-To: \t\r\nX-Other:\r\n`;
  const { h } = await assertSigned(Buffer.from(`${header}\r\na\r\n`));
  assert.deepEqual(h?.split(":").toSorted(), ["cc", "from", "reply-to", "subject", "to", ...OVERSIGNED].toSorted());
});

test("changing a signed field or the body breaks the signature", async () => {
  const content = composed({ text: "Pay 10" });
  const signature = signed(content, key);
  for (const [from, to] of [
    ["Pay 10", "Pay 99"],
    ["Subject: Hi", "Subject: Ho"],
    ["b@b.example", "c@b.example"],
  ] as const) {
    const changed = Buffer.from(content.toString().replace(from, to));
    assert.notEqual(await verifyByMailauth(signature, changed), "pass", to);
    const { body, signature: isValid } = verifyByRfc(signature, changed);
    assert.equal(body && isValid, false, to);
  }
});

/** The value of each oversigned field. */
const FIELDS: Record<string, string> = {
  From: "a@a.example",
  To: "b@b.example",
  Cc: "c@b.example",
  Subject: "Hi",
  Date: "Thu, 01 Jan 1970 00:00:00 +0000",
  "Reply-To": "r@a.example",
  "Content-Type": "text/plain",
  "List-Unsubscribe": "<https://a.example/u>",
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
};
const [, ...OPTIONAL] = Object.keys(FIELDS);
/** Unsigned and other fields around them: a field can be added before, between and after. */
const AROUND = ["X-Other: x", "Message-ID: <m@a.example>", "MIME-Version: 1.0"];

const asContent = (fields: string[]): Buffer => Buffer.from(`${fields.join("\r\n")}\r\n\r\nPay 10\r\n`);

/** Asserts that both verifiers reject the content with the field added at each of the indexes. */
async function assertBroken(
  signature: Buffer,
  { fields, added, indexes }: { fields: string[]; added: string; indexes: number[] },
): Promise<void> {
  for (const index of indexes) {
    const changed = asContent(fields.toSpliced(index, 0, added));
    const where = `${JSON.stringify(added)} at ${index} of ${JSON.stringify(fields)}`;
    assert.deepEqual(pick(verifyByRfc(signature, changed)), { body: true, signature: false }, where);
    assert.notEqual(await verifyByMailauth(signature, changed), "pass", where);
  }
}

const pick = ({ body, signature }: { body: boolean; signature: boolean }) => ({ body, signature });

test("adding an oversigned field breaks the signature, whichever fields are present", async () => {
  for (let set = 0; set < 2 ** OPTIONAL.length; set += 1) {
    const names = ["From", ...OPTIONAL.filter((_, index) => set & (1 << index))];
    const fields = [...names.map((name) => `${name}: ${FIELDS[name]}`), ...AROUND];
    const signature = signed(asContent(fields), key);
    assert.deepEqual(pick(verifyByRfc(signature, asContent(fields))), { body: true, signature: true });
    assert.equal(await verifyByMailauth(signature, asContent(fields)), "pass");
    for (const [index, name] of Object.keys(FIELDS).entries()) {
      await assertBroken(signature, { fields, added: `${name}: forged`, indexes: [(set + index) % fields.length] });
    }
  }
});

test("adding an oversigned field breaks the signature at any position and in any spelling", async () => {
  for (const present of [Object.keys(FIELDS), ["From"]]) {
    const fields = [...AROUND.slice(0, 1), ...present.map((name) => `${name}: ${FIELDS[name]}`), ...AROUND.slice(1)];
    const signature = signed(asContent(fields), key);
    const indexes = fields.map((_, index) => index).concat(fields.length);
    for (const name of Object.keys(FIELDS)) {
      const same = `${name}: ${FIELDS[name]}`;
      const spellings = [same, `${name.toUpperCase()}:x`, `${name.toLowerCase()} : x`, `${name}\t:\tx`];
      for (const added of [...spellings, `${name}:\r\n x`, `${name}: x\r\n\ty`, `${name}:`, `${name}: \r\n `]) {
        await assertBroken(signature, { fields, added, indexes });
      }
    }
  }
});

test("fields in unusual spelling are signed as receivers parse them", async () => {
  for (const name of Object.keys(FIELDS)) {
    const others = Object.keys(FIELDS).filter((other) => other !== name);
    const fields = others.map((other) => `${other.toUpperCase()}:${FIELDS[other]}`);
    for (const unusual of [
      `${name.toUpperCase()}:x`,
      `${name} :x`,
      `${name}\t: x`,
      `${name}:\r\n\tx\r\n  y`,
      `${name}:`,
    ]) {
      const content = asContent([...fields, unusual]);
      await assertSigned(content);
      await assertBroken(signed(content, key), {
        fields: [...fields, unusual],
        added: `${name}: z`,
        indexes: [0, 9],
      });
    }
  }
});

test("all repeated fields are signed: none can be added, changed, moved or removed", async () => {
  const twice = ["Reply-To: r@a.example", "Reply-To: s@a.example"];
  const fields = ["From: a@a.example", "Subject: Hi", ...twice, "List-Id: <l.a.example>", "List-Id: <m.a.example>"];
  const tags = await assertSigned(asContent(fields));
  assert.equal(tags.h?.split(":").filter((name) => name === "reply-to").length, 3);
  const signature = signed(asContent(fields), key);
  const changes = [
    [...fields, "Reply-To: t@a.example"],
    fields.toSpliced(2, 1),
    fields.toSpliced(3, 1),
    fields.toSpliced(2, 1, "Reply-To: t@a.example"),
    fields.toSpliced(2, 2, ...twice.toReversed()),
    fields.toSpliced(4, 1),
  ];
  for (const changed of changes) {
    assert.equal(verifyByRfc(signature, asContent(changed)).signature, false, JSON.stringify(changed));
    assert.notEqual(await verifyByMailauth(signature, asContent(changed)), "pass");
  }
});

test("fields that forwarders commonly add do not break the signature", async () => {
  const fields = [...Object.entries(FIELDS).map(([name, value]) => `${name}: ${value}`), ...AROUND];
  const signature = signed(asContent(fields), key);
  const trace = ["Return-Path: <x@b.example>", "Received: from x by y; z", "Delivered-To: b@b.example"];
  const more = ["ARC-Seal: i=1", "Authentication-Results: y; dkim=pass", "Sender: f@b.example", "List-Help: <x>"];
  const forwarded = asContent([...trace, ...more, ...fields]);
  assert.deepEqual(pick(verifyByRfc(signature, forwarded)), { body: true, signature: true });
  assert.equal(await verifyByMailauth(signature, forwarded), "pass");
});

test("the same content and key produce the same signature", async () => {
  for (const text of ["a", "a\u00a0", ""]) {
    const content = composed({ text });
    assert.deepEqual(signed(content, key), signed(content, key));
  }
});

test("addresses that would break canonicalisation are invalid", () => {
  for (const space of ["\u00a0", "\u2028", "\u3000", "\ufeff", "\v"]) {
    assert.equal(parseMailbox(`a${space}b@b.example`).type, "invalid");
    assert.equal(parseMailbox(`"a${space}b"@b.example`).type, "invalid");
  }
});
