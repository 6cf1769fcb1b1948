/** Base32: the vectors of RFC 4648, in both directions, and texts that no bytes have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase32, encodeBase32 } from "../../src/message/base32.ts";

test("the vectors of RFC 4648 §10, in lower case and without padding", () => {
  const vectors = { f: "my", fo: "mzxq", foo: "mzxw6", foob: "mzxw6yq", fooba: "mzxw6ytb", foobar: "mzxw6ytboi" };
  for (const [text, encoded] of Object.entries({ "": "", ...vectors })) {
    assert.equal(encodeBase32(Buffer.from(text)), encoded);
    assert.deepEqual(decodeBase32(encoded), Buffer.from(text));
    assert.deepEqual(decodeBase32(encoded.toUpperCase()), Buffer.from(text));
  }
});

test("any bytes survive, and each text stands for one sequence of bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = encodeBase32(bytes);
      assert.match(text, /^[a-z2-7]*$/);
      assert.deepEqual(decodeBase32(text), Buffer.from(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z2-7]{0,40}$/), (text) => {
      const bytes = decodeBase32(text);
      if (bytes !== null) assert.equal(encodeBase32(bytes), text);
    }),
  );
});

test("what no bytes have as their text is null", () => {
  for (const text of ["a", "mzxw6a", "mz", "mzxr", "my======", "m y", "m0", "m1", "m8", "mé", "mzxw6\u212atb"]) {
    assert.equal(decodeBase32(text), null, text);
  }
});
