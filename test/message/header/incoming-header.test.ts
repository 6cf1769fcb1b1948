/** Fields of a header of any form: hops, and whether a program has sent the message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headerText, isAutoSubmitted, receivedFields } from "../../../src/message/header/incoming-header.ts";

const header = (text: string): string => headerText(Buffer.from(text));

describe("the header", () => {
  it("ends at the first empty line, of any kind", () => {
    for (const end of ["\r\n", "\n", "\r"]) {
      assert.equal(header(`A: b${end}C: d${end}${end}Received: x${end}`), `A: b${end}C: d`);
    }
    assert.equal(header("A: b\r\n"), "A: b\r\n");
    assert.equal(header(""), "");
  });

  it("is bounded", () => {
    assert.equal(header("Received: x\r\n".repeat(100_000)).length, 256 * 1024);
  });
});

describe("servers on the way", () => {
  it("are counted by their fields, in any case, not in the body or within other fields", () => {
    const text = header(
      "Received: a\r\nRECEIVED : b\r\n\treceived: folded\r\nX-Received: c\r\nreceived:d\r\n\r\nReceived: body",
    );
    assert.equal(receivedFields(text), 3);
    assert.equal(receivedFields(header("Received: a\nReceived: b\n\n")), 2);
    assert.equal(receivedFields(""), 0);
  });
});

describe("a message of a program", () => {
  it("says so", () => {
    for (const value of [
      "auto-replied",
      " auto-generated",
      "AUTO-NOTIFIED; x=y",
      "\r\n auto-replied",
      " auto-generated (x)",
    ]) {
      assert.equal(isAutoSubmitted(header(`A: b\r\nAuto-Submitted:${value}\r\n\r\n`)), true, value);
    }
  });

  it("is not one that says it is none, or nothing", () => {
    for (const text of [
      "A: b\r\n\r\n",
      "Auto-Submitted: no\r\n\r\n",
      "auto-submitted: NO\r\n\r\n",
      "Auto-Submitted: no; x\r\n\r\n",

      "Auto-Submitted:\r\nSubject: x\r\n\r\n",
      "X-Auto-Submitted: auto-replied\r\n\r\n",
      "A: b\r\n\r\nAuto-Submitted: auto-replied",
    ]) {
      assert.equal(isAutoSubmitted(header(text)), false, text);
    }
  });
});
