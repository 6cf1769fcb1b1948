/** The reader of parts agrees with postal-mime on messages of mail servers, and reads what postal-mime does not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import PostalMime from "postal-mime";
import { leafParts } from "../../../src/message/feedback/leaf-parts.ts";
import { feedbackSamples } from "../../support/feedback-mutations.ts";

const leavesOf = (...lines: string[]) =>
  leafParts(Buffer.from(lines.join("\n"), "latin1")).leaves.map(({ type, bytes }) => [type, bytes.toString("latin1")]);

/** Without the line ends at the end, which postal-mime adds and removes. */
const trimmed = (content: ArrayBuffer | Uint8Array | string): string =>
  Buffer.from(content as ArrayBuffer)
    .toString("latin1")
    .replaceAll("\r\n", "\n")
    .trim();

describe("parts", () => {
  it("are those of postal-mime, wherever the message names its boundary", async () => {
    let compared = 0;
    for (const raw of feedbackSamples()) {
      if (!/^Content-Type: multipart\/.*;\s+boundary=/im.test(raw.toString("latin1")) || raw.includes("From "))
        continue;
      const email = await PostalMime.parse(raw, { forceRfc822Attachments: true });
      const leaves = leafParts(raw).leaves.filter(({ type }) => type !== "text/plain" && type !== "text/html");
      if (email.attachments.length === 0) continue;
      assert.deepEqual(
        leaves.map(({ type, bytes }) => [type, trimmed(bytes)]),
        email.attachments.map(({ mimeType, content }) => [mimeType, trimmed(content)]),
      );
      compared += 1;
    }
    assert.ok(compared > 100, `only ${compared} messages were compared`);
  });

  it("are found without a boundary in the field, with a wrong one, and without the field", () => {
    const parts = [
      "--x",
      "Content-Type: text/plain",
      "",
      "one",
      "--x",
      "Content-Type: message/delivery-status",
      "",
      "two",
      "--x--",
    ];
    const expected = [
      ["text/plain", "one"],
      ["message/delivery-status", "two"],
    ];
    assert.deepEqual(leavesOf("Content-Type: multipart/report", "", ...parts), expected);
    assert.deepEqual(leavesOf("Content-Type: multipart/report; boundary=y", "", ...parts), expected);
    assert.deepEqual(leavesOf("Subject: x", "", ...parts), expected);
  });

  it("of a text that only mentions parts are one text", () => {
    assert.deepEqual(leavesOf("Subject: x", "", "Returned:", "--x", "Content-Type: text/html", "", "y"), [
      ["text/plain", "Returned:\r\n--x\r\nContent-Type: text/html\r\n\r\ny"],
    ]);
  });

  it("may lack the blank line after the header, and be unterminated", () => {
    assert.deepEqual(leavesOf("Content-Type: multipart/mixed; boundary=b", "", "--b", "This is a text"), [
      ["text/plain", "This is a text"],
    ]);
  });

  it("are told apart where one boundary begins with another", () => {
    const inner = [
      "Content-Type: multipart/alternative; boundary=b1",
      "",
      "--b1",
      "",
      "one",
      "--b1",
      "",
      "two",
      "--b1--",
    ];
    assert.deepEqual(
      leavesOf("Content-Type: multipart/mixed; boundary=b", "", "--b", ...inner, "--b", "", "three", "--b--"),
      [
        ["text/plain", "one"],
        ["text/plain", "two"],
        ["text/plain", "three"],
      ],
    );
  });

  it("of a digest are messages", () => {
    assert.deepEqual(leavesOf("Content-Type: multipart/digest; boundary=b", "", "--b", "", "Subject: x", "--b--"), [
      ["message/rfc822", "Subject: x"],
    ]);
  });

  it("are decoded", () => {
    assert.deepEqual(leavesOf("Content-Transfer-Encoding: Base64", "", "YQ=="), [["text/plain", "a"]]);
    assert.deepEqual(leavesOf("Content-Transfer-Encoding: quoted-printable", "", "a=", "=62"), [["text/plain", "ab"]]);
  });
});

describe("limits", () => {
  it("end the reading of deep and of many parts", () => {
    const deep = Array.from(
      { length: 50 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
    ).join("");
    assert.equal(leavesOf(`${deep}x`).length, 1);
    assert.equal(leavesOf("Content-Type: multipart/mixed; boundary=b", "", "--b\n\nx\n".repeat(5000)).length, 199);
  });

  it("end the header", () => {
    const { fields } = leafParts(Buffer.from(`${"x: y\n".repeat(5000)}\nbody`));
    assert.equal(fields.get("x")?.length, 1000);
  });
});

describe("the header", () => {
  it("is unfolded, and may follow an mbox line", () => {
    const { fields } = leafParts(Buffer.from("\n\nFrom a@b.example Mon Nov  2\nSubject: x\n\ty\nTo: z\n\n"));
    assert.deepEqual(
      [...fields],
      [
        ["subject", ["x y"]],
        ["to", ["z"]],
      ],
    );
  });
});
