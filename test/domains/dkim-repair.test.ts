/** The DKIM record suggested for a faulty one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { publicKey } from "./sample.ts";
import { domain, NAMES, suggest } from "./suggestions.ts";

test("keeps valid tags and omits the others", async () => {
  const key = domain.publicKey;
  const right = (tags: string) => `v=DKIM1; k=rsa; ${tags}p=${key}`;
  const suggestions: [string, string][] = [
    [`v=DKIM1; k=rsa; t=s; p=${publicKey()}`, right("t=s; ")],
    [`v=DKIM1; t=y:s; n=note; p=${key}`, right("t=s; n=note; ")],
    [`v=DKIM1; k=rsa; h=sha256; s=email; p=${key.slice(0, 200)}`, right("h=sha256; s=email; ")],
    [`v=DKIM1; h=sha1; s=tlsrpt; p=${key}`, right("")],
    [`"v=DKIM1; k=rsa; t=s; " "p=${key}"`, right("t=s; ")],
    [`v=DKIM1\\; k=ed25519\\; p=${key}`, right("")],
    [`k=rsa; v=DKIM1; x y=z; p=${key}`, right("")],
    [`v=DKIM1; k=rsa; p=${key}; p=${key}`, right("")],
  ];
  for (const [record, expected] of suggestions) {
    const result = await suggest("dkim", { [NAMES.dkim ?? ""]: { TXT: [record] } });
    assert.equal(result.expected, expected, record);
  }
});
