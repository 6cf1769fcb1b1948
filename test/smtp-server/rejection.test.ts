/** Replies of any listener: the code of each, and a text of one line of at most 512 octets in ASCII. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MemoryRefused } from "../../src/lib/memory-queue.ts";
import * as replies from "../../src/smtp-server/rejection.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import { TooManyReports } from "../../src/spool/port/reports.ts";

const lineOf = ({ responseCode, message }: replies.SmtpRejection): string => `${responseCode} ${message}`;

describe("the replies", () => {
  it("have their codes", () => {
    const expected: [reply: replies.SmtpRejection, begins: string][] = [
      [
        replies.tooManyRecipients(50),
        "452 4.5.3 A message may have at most 50 recipients: send it to the others as another message",
      ],
      [replies.outOfMemory(), "452 4.3.1 "],
      [replies.mailLoop("Why."), "554 5.4.6 Why."],
      [replies.tooLarge(1000), "552 5.3.4 "],
      [replies.unavailable("Why"), "451 4.3.0 Why"],
    ];
    for (const [reply, begins] of expected) assert.ok(lineOf(reply).startsWith(begins), lineOf(reply));
  });

  it("are temporary where the service lacks something, and unknown errors have none", () => {
    assert.match(lineOf(replies.errorReply(new SpoolUnavailable("full")) as never), /^451 4\.3\.0 /);
    assert.match(lineOf(replies.errorReply(new MemoryRefused("full")) as never), /^452 4\.3\.1 /);
    assert.match(lineOf(replies.errorReply(new TooManyReports()) as never), /^451 4\.3\.0 /);
    const own = replies.tooLarge(1000);
    assert.equal(replies.errorReply(own), own);
    for (const error of [new Error("x"), new TypeError("x"), "x", undefined])
      assert.equal(replies.errorReply(error), null);
  });
});

describe("the text of a reply", () => {
  const textOf = (detail: string): string => replies.mailLoop(detail).message;

  it("is in printable ASCII, in one line", () => {
    assert.equal(textOf("Zeile Grüße 🎉 a…"), "5.4.6 Zeile Gr??e ? a...");
    assert.equal(textOf("a\r\n250 2.0.0 b\u0000\u001b[2J\u007f"), "5.4.6 a??250 2.0.0 b??[2J?");
  });

  it("has at most 512 octets with its code and CRLF", () => {
    const octets = (detail: string): number => Buffer.byteLength(`554 ${textOf(detail)}\r\n`);
    for (const detail of ["x".repeat(500), "x".repeat(501), "x".repeat(100_000), "ü…".repeat(1000)]) {
      assert.equal(octets(detail), 512);
    }
    assert.equal(textOf("x".repeat(500)), `5.4.6 ${"x".repeat(500)}`);
    assert.equal(textOf("x".repeat(501)), `5.4.6 ${"x".repeat(497)}...`);
  });
});
