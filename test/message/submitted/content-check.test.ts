/** The octets of a submitted message: what is accepted, the first fault with its line, and chunks that begin anywhere. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ContentCheck } from "../../../src/message/submitted/content-check.ts";

function checked(...chunks: (string | Buffer)[]): ContentCheck {
  const check = new ContentCheck();
  for (const chunk of chunks) check.add(Buffer.from(chunk as string));
  return check;
}

const MESSAGE = "From: a@shop.example\r\nSubject: x\r\n\r\nHi\r\n";

describe("a message of lines that end with CRLF", () => {
  it("has no fault, and is not 8-bit", () => {
    for (const text of [MESSAGE, "", "\r\n", "\r\n\r\n\r\n", `${MESSAGE}\t\x01\x7f\r\n`]) {
      const { fault, eightBit } = checked(text);
      assert.deepEqual([fault, eightBit], [null, false]);
    }
  });

  it("may have lines of 998 octets, in header and body", () => {
    const line = "x".repeat(996);
    assert.equal(checked(`X:${line}\r\n\r\n12${line}\r\n`).fault, null);
    assert.equal(checked(`X:${line}3\r\n\r\n`).fault, "Line 1 is longer than 998 octets.");
    assert.equal(checked(`${MESSAGE}123${line}\r\n`).fault, "Line 5 is longer than 998 octets.");
    // Octets count, not characters.
    assert.equal(checked(`${MESSAGE}${"ü".repeat(499)}\r\n`).fault, null);
    assert.equal(checked(`${MESSAGE}${"ü".repeat(500)}\r\n`).fault, "Line 5 is longer than 998 octets.");
  });
});

describe("a message that other servers could read differently", () => {
  it("is rejected with the number of the line", () => {
    const cases: [text: string, fault: string][] = [
      [`${MESSAGE}a\nb\r\n`, "Line 5 has an LF without a CR before it."],
      [`${MESSAGE}a\rb\r\n`, "Line 5 has a CR that is not followed by LF."],
      [`${MESSAGE}a\r\r\n`, "Line 5 has a CR that is not followed by LF."],
      [`${MESSAGE}\n.\r\nMAIL FROM:<x@y.example>\r\n`, "Line 5 has an LF without a CR before it."],
      [`${MESSAGE}\r.\r\n`, "Line 5 has a CR that is not followed by LF."],
      ["Subject: a\nFrom: b\r\n\r\n", "Line 1 has an LF without a CR before it."],
      [`${MESSAGE}\0\r\n`, "Line 5 has a NUL."],
      ["X: \0\r\n\r\n", "Line 1 has a NUL."],
    ];
    for (const [text, fault] of cases) assert.equal(checked(text).fault, fault, JSON.stringify(text));
  });

  it("keeps its first fault", () => {
    assert.equal(checked("a\n", "b\0", "c\r\r").fault, "Line 1 has an LF without a CR before it.");
  });
});

describe("octets above 127", () => {
  it("make the body 8-bit, not the header", () => {
    assert.equal(checked("Subject: Grüße\r\n\r\nHi\r\n").eightBit, false);
    assert.equal(checked("Subject: x\r\n\r\nGrüße\r\n").eightBit, true);
    assert.equal(checked(MESSAGE, Buffer.from([0x80, 0xff])).eightBit, true);
    // An empty line begins the body, also at the beginning.
    assert.equal(checked("\r\nGrüße\r\n").eightBit, true);
  });
});

it("the result does not depend on where chunks begin", () => {
  const texts = [
    "X: ü\r\n\r\nä\r\n",
    "X: a\r\n\r\nb\rc\r\n",
    "X: a\r\n\r\nb\nc",
    "X: a\r\n\r\nb\r\r\n",
    "X: \r\n\r\n\0",
  ];
  for (const text of texts) {
    const whole = checked(text);
    const octets = Buffer.from(text);
    for (let at = 0; at <= octets.length; at += 1) {
      const { fault, eightBit } = checked(octets.subarray(0, at), octets.subarray(at));
      assert.deepEqual([fault, eightBit], [whole.fault, whole.eightBit], `${JSON.stringify(text)} at ${at}`);
    }
    const single = checked(...Array.from(octets, (octet) => Buffer.of(octet)));
    assert.deepEqual([single.fault, single.eightBit], [whole.fault, whole.eightBit]);
  }
});
