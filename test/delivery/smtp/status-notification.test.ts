/** The parameters of RFC 3461, and the encodings of their values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mailParameters, rcptParameters } from "../../../src/delivery/smtp/status-notification.ts";

test("MAIL asks for the header alone, and names the message", () => {
  assert.deepEqual(mailParameters({ envelopeId: "msg_-aZ_09" }), ["RET=HDRS", "ENVID=msg_-aZ_09"]);
  assert.deepEqual(mailParameters({ envelopeId: "a+b=c d\x7f" }), ["RET=HDRS", "ENVID=a+2Bb+3Dc+20d+7F"]);
});

test("RCPT asks for failures, and names the recipient in xtext", () => {
  const addresses = {
    "ann@customers.example": "ann@customers.example",
    "ann+order=7@customers.example": "ann+2Border+3D7@customers.example",
    '"a b\\"c"@customers.example': '"a+20b\\"c"@customers.example',
    "!#$%&'*-/?^_`{|}~@xn--bcher-kva.example": "!#$%&'*-/?^_`{|}~@xn--bcher-kva.example",
  };
  for (const [address, xtext] of Object.entries(addresses)) {
    assert.deepEqual(rcptParameters(address), ["NOTIFY=FAILURE", `ORCPT=rfc822;${xtext}`]);
  }
});

test("an address that is not ASCII has the UTF-8 form", () => {
  const addresses = {
    "jürgen@customers.example": "jürgen@customers.example",
    "grün+a=b@customers.example": "grün\\x{2B}a\\x{3D}b@customers.example",
    '"é \\"𝒳"@customers.example': '"é\\x{20}\\x{5C}"𝒳"@customers.example',
  };
  for (const [address, unitext] of Object.entries(addresses)) {
    assert.deepEqual(rcptParameters(address), ["NOTIFY=FAILURE", `ORCPT=utf-8;${unitext}`]);
  }
});

test("an address that is longer than 500 characters in this form is not given", () => {
  const domain = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(59)}.example`;
  const rcptOf = (spaces: number) => rcptParameters(`"é${" ".repeat(spaces)}"@${domain}`);
  const [, orcpt = ""] = rcptOf(50);
  assert.equal(Buffer.byteLength(orcpt.slice("ORCPT=".length)), 500);
  assert.deepEqual(rcptOf(51), ["NOTIFY=FAILURE"]);
});
