/** The header of a submitted message, split into fields that stay as written, and what is rejected with a sentence. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headerFields } from "../../../src/message/header/header-fields.ts";
import { fieldsOf } from "./fields.ts";

function faultOf(message: string | Buffer): string {
  const header = headerFields(Buffer.from(message as string));
  assert.ok(header.type === "invalid", JSON.stringify(header));
  return header.detail;
}

describe("the fields of a header", () => {
  it("are in their order, with their text as written", () => {
    assert.deepEqual(fieldsOf("FROM:a@b.example", "X-a: 1", "x-A:  2  "), [
      { name: "FROM", key: "from", value: "a@b.example", text: "FROM:a@b.example\r\n" },
      { name: "X-a", key: "x-a", value: "1", text: "X-a: 1\r\n" },
      { name: "x-A", key: "x-a", value: "2", text: "x-A:  2  \r\n" },
    ]);
  });

  it("are unfolded, and only the value loses white space at its ends", () => {
    const lines = ["Subject:", "\tGrüße  an", "  alle\t", " ", "To: a@b.example"];
    const [subject, to] = fieldsOf(...lines);
    assert.deepEqual(subject, {
      name: "Subject",
      key: "subject",
      value: "Grüße  an  alle",
      text: "Subject:\r\n\tGrüße  an\r\n  alle\t\r\n \r\n",
    });
    assert.equal(to?.value, "a@b.example");
  });

  it("may have white space before the colon, and no value", () => {
    const fields = fieldsOf("From \t: a@b.example", "Subject:", "X-Y: ");
    assert.deepEqual(
      fields.map(({ name, value }) => [name, value]),
      [
        ["From", "a@b.example"],
        ["Subject", ""],
        ["X-Y", ""],
      ],
    );
  });

  it("end at the first empty line, or with the message", () => {
    const names = (message: string): string[] => {
      const header = headerFields(Buffer.from(message));
      assert.ok(header.type === "valid");
      return header.fields.map(({ name }) => name);
    };
    assert.deepEqual(names("A: 1\r\n\r\nB: 2\r\n\r\nC: 3\r\n"), ["A"]);
    assert.deepEqual(names("A: 1\r\nB: 2\r\n"), ["A", "B"]);
    assert.deepEqual(names(""), []);
    // A reader sees an empty header here, and the rest as the body.
    assert.deepEqual(names("\r\nFrom: a@b.example\r\n\r\nHi\r\n"), []);
  });

  it("keep a run of white space within a value", () => {
    const spaces = " \t".repeat(400);
    const lines = ["X-Run: a", ...Array.from({ length: 100 }, () => spaces), " b"];
    assert.equal(fieldsOf(...lines)[0]?.value, `a${spaces.repeat(100)} b`);
  });
});

describe("a header that is not valid", () => {
  it("has a line that is not a field", () => {
    const lines = ["no colon", ": no name", " begins with white space: 1", "two words: 1", "Füld: 1", "a\tb: 1"];
    for (const line of lines) {
      assert.equal(
        faultOf(`${line}\r\nFrom: a@b.example\r\n\r\n`),
        `The header has a line that is not a field: ${line}`,
      );
    }
    assert.equal(faultOf("From: a@b.example\r\nx\r\n y\r\n\r\n"), "The header has a line that is not a field: x");
    assert.ok(faultOf(`${"x".repeat(900)}\r\n\r\n`).length < 160, "a long line is shortened");
  });

  it("is not UTF-8, while the body may be anything", () => {
    const latin1 = Buffer.from("Subject: Grüße\r\n\r\n", "latin1");
    assert.match(faultOf(latin1), /^The header is not UTF-8\./);
    const header = headerFields(Buffer.concat([Buffer.from("Subject: x\r\n\r\n"), latin1]));
    assert.equal(header.type, "valid");
  });

  it("has more than 128 KiB or 1,000 fields", () => {
    const line = `X: ${"x".repeat(995)}\r\n`;
    const folded = ` ${"x".repeat(997)}\r\n`;
    assert.equal(headerFields(Buffer.from(`${line.repeat(131)}\r\n`)).type, "valid");
    assert.equal(faultOf(`${line.repeat(132)}\r\n`), "The header is longer than 131072 octets.");
    assert.equal(faultOf(`${line}${folded.repeat(131)}\r\n`), "The header is longer than 131072 octets.");
    assert.equal(headerFields(Buffer.from(`${"A:\r\n".repeat(1000)}\r\n`)).type, "valid");
    assert.equal(faultOf(`${"A:\r\n".repeat(1001)}\r\n`), "The header has more than 1000 fields.");
  });
});
