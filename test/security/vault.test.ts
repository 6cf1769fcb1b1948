/** The fingerprints of master keys, by which nodes find out that they have the same, and tokens. Sealing is tested by its users. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Vault } from "../../src/security/vault.ts";

const [ONE, TWO] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;

describe("the fingerprint of a master key", () => {
  it("is the same for the same key only, and does not contain it", () => {
    const [fingerprint] = new Vault(ONE).fingerprints;
    assert.deepEqual(new Vault(Buffer.from(ONE)).fingerprints, [fingerprint]);
    assert.notDeepEqual(new Vault(TWO).fingerprints, [fingerprint]);
    assert.equal(Buffer.from(fingerprint, "base64url").length, 32);
    assert.ok(!fingerprint.includes(ONE.toString("base64url").slice(0, 8)));
  });

  it("stays as it is stored in databases", () => {
    assert.deepEqual(new Vault(ONE).fingerprints, ["B92_O1lMC9RXSqtPMN09tmlUzEOQeAttZl83fLy_Rp4"]);
  });

  it("exists for both keys during a rotation, the new one first", () => {
    const [one] = new Vault(ONE).fingerprints;
    const [two] = new Vault(TWO).fingerprints;
    assert.deepEqual(new Vault(TWO, ONE).fingerprints, [two, one]);
  });
});

describe("a token of a master key", () => {
  it("is the same for the same key and purpose only", () => {
    const token = new Vault(ONE).token("a");
    assert.match(token, /^[\w-]{32}$/);
    assert.equal(new Vault(Buffer.from(ONE), TWO).token("a"), token);
    assert.equal(new Set([token, new Vault(ONE).token("b"), new Vault(TWO).token("a")]).size, 3);
    assert.ok(!new Vault(ONE).fingerprints[0].includes(token.slice(0, 8)));
  });
});
