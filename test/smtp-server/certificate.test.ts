/** Which certificate the SMTP listeners have. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { ObtainedPair } from "../../src/security/served-certificate.ts";
import { findCertificate, pairOf } from "../../src/smtp-server/certificate.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";

it("the certificate is smtp.crt, else http.crt, else the obtained one, else none", (t) => {
  const dir = tempDir(t);
  const find = (obtained?: ObtainedPair) => findCertificate({ certsDir: dir, obtained });
  const own = selfSigned("own.example");
  assert.equal(find(), null);
  assert.equal(
    find(() => null),
    null,
  );
  assert.deepEqual(pairOf(find(() => own)?.first ?? null), own);
  for (const name of ["http", "smtp"] as const) {
    const { key, cert } = selfSigned(`${name}.example`);
    writeFileSync(join(dir, `${name}.key`), key);
    assert.notEqual(find()?.first.key, key, "a key alone is none");
    writeFileSync(join(dir, `${name}.crt`), cert);
    assert.deepEqual(pairOf(find(() => own)?.first ?? null), { key, cert });
  }
  writeFileSync(join(dir, "smtp.crt"), "no certificate");
  assert.throws(() => find(), /PEM/);
});
