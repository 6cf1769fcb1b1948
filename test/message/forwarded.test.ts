/** A message of any form as an attachment, which readers show where its form allows that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attachedMessage, forwardedSubject } from "../../src/message/forwarded.ts";

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
