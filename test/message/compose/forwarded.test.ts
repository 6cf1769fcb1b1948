/** A message of any form as an attachment, which readers show where its form allows that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attachedMessage, forwardedSubject } from "../../../src/message/compose/forwarded.ts";

const attached = (text: string | Buffer) => {
  const { contentType, content } = attachedMessage(Buffer.from(text as string));
  return { contentType, text: content.toString() };
};

describe("an attached message", () => {
  it("is as it arrived where it is in 7 bits", () => {
    const text = "From: a@b.example\r\nSubject: x\r\n\r\nHi\r\n.\r\n";
    assert.deepEqual(attached(text), { contentType: "message/rfc822", text });
  });

  it("has CRLF line ends only", () => {
    for (const end of ["\n", "\r"]) {
      const { contentType, text } = attached(`Subject: x${end}${end}Hi${end}there\r\n`);
      assert.deepEqual([contentType, text], ["message/rfc822", "Subject: x\r\n\r\nHi\r\nthere\r\n"]);
    }
  });

  it("is converted to 7 bits where it is in 8", () => {
    const { contentType, text } = attached(
      "Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n",
    );
    assert.equal(contentType, "message/rfc822");
    assert.match(text, /Content-Transfer-Encoding: base64\r\n/);
    assert.match(text, new RegExp(`\r\n\r\n${Buffer.from("Grüße\r\n").toString("base64")}\r\n$`));
  });

  it("is a file, octet for octet, where it cannot be sent as a message", () => {
    for (const text of [
      "Subject: x\r\n\r\na\0b\r\n",
      `Subject: x\r\n\r\n${"y".repeat(999)}\r\n`,
      Buffer.from("Subject: \xff\r\n\r\n\xff\r\n", "latin1"),
      "no header \u00fc\r\nbody \u00fc\r\n",
    ]) {
      const { contentType, content, filename } = attachedMessage(Buffer.from(text as string));
      assert.deepEqual([contentType, filename], ["application/octet-stream", "original.eml"]);
      assert.ok(content.equals(Buffer.from(text as string)));
    }
  });
});

/** The cheapest of some runs, in milliseconds of CPU. */
function cpuMs(run: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

describe("a mebibyte", () => {
  const filled = (line: string): Buffer =>
    Buffer.from(`Subject: x\r\n\r\n${line.repeat(Math.floor((1024 * 1024) / line.length))}`);

  it("costs much the same whatever its lines are: none is read once for each of its octets", () => {
    const usual = filled(`${"x".repeat(76)}\r\n`);
    const usualMs = Math.max(
      2,
      cpuMs(() => attachedMessage(usual)),
    );
    for (const line of [`${"x".repeat(998)}\r\n`, "\r\n", "\n", "x\r\n"]) {
      const content = filled(line);
      assert.ok(cpuMs(() => attachedMessage(content)) <= 8 * usualMs, JSON.stringify(line.slice(-4)));
    }
  });

  it("is a file from the first line of 999 octets, wherever that is", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `${"x".repeat(index % 998)}\r\n`);
    assert.equal(
      attachedMessage(Buffer.from(`A: b\r\n\r\n${lines.join("")}${"x".repeat(998)}\r\n`)).contentType,
      "message/rfc822",
    );
    for (const at of [0, 500, 1000]) {
      const long = lines.toSpliced(at, 0, `${"x".repeat(999)}\r\n`);
      assert.equal(
        attachedMessage(Buffer.from(`A: b\r\n\r\n${long.join("")}`)).contentType,
        "application/octet-stream",
      );
    }
  });
});

describe("the subject", () => {
  const subject = (field: string): string => forwardedSubject(Buffer.from(`A: b\r\n${field}\r\n\r\nSubject: body\r\n`));

  it("is that of the message", () => {
    assert.equal(subject("Subject: Spam from your host"), "Fwd: Spam from your host");
    assert.equal(subject("SUBJECT : a\r\n b\r\n\tc"), "Fwd: a b c");
    assert.equal(subject("Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= x"), "Fwd: Grüße x");
    assert.equal(subject("Subject: Grüße"), "Fwd: Grüße");
  });

  it("is short, and one line", () => {
    assert.equal(subject(`Subject: ${"x".repeat(2000)}`).length, 998);
    assert.equal(subject("Subject: =?utf-8?Q?a=0D=0ABcc:_x?="), "Fwd: a Bcc: x");
    assert.equal(subject("Subject:"), "Fwd:");
    assert.equal(subject("X-Subject: y"), "Fwd:");
  });
});
