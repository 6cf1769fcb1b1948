/** Tokens of links. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { hashLinkToken, newLinkToken } from "../../src/security/link-token.ts";

it("are different each time, fit a path, and are stored as a hash", () => {
  const [one, two] = [newLinkToken(), newLinkToken()];
  assert.notEqual(one.token, two.token);
  assert.match(one.token, /^[\w-]{43}$/);
  assert.ok(hashLinkToken(one.token).equals(one.hash));
  assert.ok(!hashLinkToken(two.token).equals(one.hash));
});
