/**
 * Whatever is accepted leaves in 7 bits, but for addresses that need SMTPUTF8: generated messages with text outside ASCII in every
 * place that may have it, in the header of the message, of its parts and of attached messages. postal-mime and Python's email package
 * read the same in them as the client has written, and mailauth verifies the signature.
 */
import assert from "node:assert/strict";
import { isAscii } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import PostalMime from "postal-mime";
import { unsignedOf } from "../../../src/message/content.ts";
import { dkimSignature } from "../../../src/message/dkim.ts";
import { withAsciiHeader } from "../../../src/message/header/ascii-header.ts";
import { readSubmitted } from "../../../src/message/submitted/submitted-message.ts";
import { readWithPython } from "../../support/python-email.ts";

const SEED = 12;
const RUNS = 200;

const CHARACTERS = [..."aZ9 -_.,;:@'\"\\()[]<>%*=?!&/äßÉñ漢字ж😀"];
const textOf = (characters: string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 40 })
    .map((all) => `ü${all.join("").replace(/ +/g, " ")}`.trim());
const text = textOf(CHARACTERS);
/** Python's package takes a backslash at the end of a decoded name for the escape of a quotation mark that it adds. */
const fileText = textOf(CHARACTERS.filter((character) => character !== "\\"));
/** Without what ends a value that is not quoted, or begins a comment. */
const bareText = textOf(CHARACTERS.filter((character) => !'\\";()'.includes(character)));

const quoted = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;

interface Parameter {
  /** From the semicolon on. */
  written: string;
  value: string;
}

const SIGNS = ["=", " = ", "\r\n\t=\r\n ", "= (a comment) ", " (ä; b)=", "=\t"];

const parameter = (name: string): fc.Arbitrary<Parameter> =>
  fc
    .record({ value: fileText, bare: bareText, isQuoted: fc.boolean(), sign: fc.constantFrom(...SIGNS) })
    .chain(({ value, bare, isQuoted, sign }) =>
      fc.constantFrom("; ", ";", ";\r\n\t", " ;\r\n  ").map((separator) => ({
        written: `${separator}${name}${sign}${isQuoted ? quoted(value) : bare}`,
        value: isQuoted ? value : bare,
      })),
    );

interface Part {
  octets: string;
  filenames: string[];
  hasAttachedMessage: boolean;
}

const file: fc.Arbitrary<Part> = fc
  .record({ filename: parameter("filename"), name: parameter("name"), note: text })
  .map(({ filename, name, note }) => ({
    octets: `Content-Type: application/octet-stream${name.written}\r\nContent-Disposition: attachment${filename.written}; size=2\r\nContent-Description: ${note}\r\nContent-Transfer-Encoding: base64\r\n\r\naGk=`,
    filenames: [filename.value],
    hasAttachedMessage: false,
  }));

const entity = (depth: number): fc.Arbitrary<Part> =>
  depth === 0
    ? file
    : fc.oneof(
        file,
        fc.array(entity(depth - 1), { minLength: 1, maxLength: 3 }).map((parts) => multipart(parts, depth)),
        fc.record({ part: entity(depth - 1), subject: text, name: text }).map(({ part, subject, name }) => ({
          octets: `Content-Type: message/rfc822\r\n\r\nFrom: ${quoted(name)} <jörg@elsewhere.example>\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n${part.octets}`,
          filenames: part.filenames,
          hasAttachedMessage: true,
        })),
      );

function multipart(parts: readonly Part[], depth: number): Part {
  const boundary = `b${depth}`;
  const body = parts.map(({ octets }) => `--${boundary}\r\n${octets}\r\n`).join("");
  return {
    octets: `Content-Type: multipart/mixed;\r\n boundary = "${boundary}"\r\n\r\n${body}--${boundary}--\r\n`,
    filenames: parts.flatMap(({ filenames }) => filenames),
    hasAttachedMessage: parts.some(({ hasAttachedMessage }) => hasAttachedMessage),
  };
}

const FIELDS = [
  (value: string) => `X-Note: ${value}`,
  (value: string) => `Keywords: ${quoted(value)}, b`,
  (value: string) => `List-Unsubscribe: <https://müller.example/?n=${encodeURI(value).slice(0, 50)}ü> (${"für"})`,
  () => "Disposition-Notification-To: Jörg <a@müller.example>",
  () => "Date: Mon, 2 Nov 2026 10:00:00 +0100 (Mitteleuropäische Zeit)",
  () => "References: <1@BÜRO-PC>\r\n <2@c>",
  () => "Return-Receipt-To : ä@müller.example",
];

const submission = fc.record({
  subject: text,
  sender: text,
  fields: fc.array(fc.tuple(fc.constantFrom(...FIELDS), text), { maxLength: 4 }),
  isNamedLocally: fc.boolean(),
  part: fc.array(entity(3), { minLength: 1, maxLength: 3 }).map((parts) => multipart(parts, 4)),
});

type Submission = typeof submission extends fc.Arbitrary<infer Value> ? Value : never;

function octetsOf({ subject, sender, fields, isNamedLocally, part }: Submission): Buffer {
  const once = new Map(fields.map(([written, value]) => [written, written(value)]));
  const to = isNamedLocally ? "jörg@customers.example" : "b@customers.example";
  const header = [
    `From: ${quoted(sender)} <hello@shop.example>`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...once.values(),
    "MIME-Version: 1.0",
  ];
  return Buffer.from(`${header.join("\r\n")}\r\n${part.octets}`);
}

function sentOf(message: Buffer): { octets: Buffer; eightBit: boolean } {
  const read = readSubmitted(message, {
    recipients: [{ name: null, address: "b@customers.example", local: "b", domain: "customers.example" }],
    token: "token",
    dateMs: 0,
    eightBit: true,
    hashesBody: true,
  });
  assert.ok(read.type === "valid", JSON.stringify(read));
  return { octets: read.draft.content().bytes, eightBit: read.draft.eightBit ?? false };
}

/** The lines with octets above 127 name an address in a field of the message's own header. */
function assertInSevenBits({ octets, eightBit }: ReturnType<typeof sentOf>): void {
  assert.equal(eightBit, false);
  const end = octets.indexOf("\r\n\r\n");
  assert.ok(isAscii(octets.subarray(end)), "a part is not ASCII");
  const lines = octets.toString("latin1").split("\r\n");
  for (const line of lines) assert.ok(line.length <= 998, "a line is too long");
  // For a host without SMTPUTF8.
  assert.ok(isAscii(withAsciiHeader(octets) ?? assert.fail("it has no form in ASCII")));
  for (const line of octets.toString("utf8", 0, end).split("\r\n"))
    assert.match(line, /^(?:\p{ASCII}*|To: jörg@customers\.example|Return-Receipt-To: ä@xn--mller-kva\.example)$/u);
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

async function assertVerified(octets: Buffer): Promise<void> {
  const key = { domain: "shop.example", selector: "s", privateKey };
  const signed = Buffer.concat([dkimSignature(unsignedOf({ bytes: octets }), key), octets]);
  const { results } = await dkimVerify(signed, { resolver: async () => [[record]] });
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ["pass"],
  );
}

const withoutBlanks = (name: string): string => name.replaceAll(" ", "");

test("accepted messages leave in 7 bits, and readers find the same in them", { timeout: 300_000 }, async () => {
  const samples = fc.sample(submission, { seed: SEED, numRuns: RUNS });
  const sent = samples.map((sample) => sentOf(octetsOf(sample)));
  const python = readWithPython(sent.map(({ octets }) => octets));
  for (const [at, sample] of samples.entries()) {
    const { octets } = sent[at] as (typeof sent)[number];
    try {
      assertInSevenBits(sent[at] as (typeof sent)[number]);
      const mail = await PostalMime.parse(octets);
      assert.deepEqual(
        [mail.subject, mail.from?.name, mail.from?.address],
        [sample.subject, sample.sender, "hello@shop.example"],
      );
      if (!sample.part.hasAttachedMessage) {
        assert.deepEqual(
          mail.attachments.map(({ filename }) => filename),
          sample.part.filenames,
        );
      }
      assert.equal(python[at]?.subject, sample.subject);
      // Python's package before 3.13 keeps the white space between two encoded words of a name.
      const [name = "", address] = python[at]?.mailboxes[0] ?? [];
      assert.deepEqual([withoutBlanks(name), address], [withoutBlanks(sample.sender), "hello@shop.example"]);
      assert.deepEqual(python[at]?.filenames, sample.part.filenames);
      if (at % 10 === 0) await assertVerified(octets);
    } catch (error) {
      throw new Error(
        `message ${at} of seed ${SEED}, ${(error as Error).message}: ${octets.toString().slice(0, 2000)}`,
        { cause: error },
      );
    }
  }
});
