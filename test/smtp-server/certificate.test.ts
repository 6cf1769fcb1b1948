/** Which certificate the SMTP listeners have. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { findCertificate, pairOf } from "../../src/smtp-server/certificate.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";

it("the certificate is smtp.crt, else http.crt, else none", (t) => {
  const dir = tempDir(t);
  assert.equal(findCertificate(dir), null);
  for (const name of ["http", "smtp"] as const) {
    const { key, cert } = selfSigned(`${name}.example`);
    writeFileSync(join(dir, `${name}.key`), key);
    assert.notEqual(findCertificate(dir)?.files.name, name, "a key alone is none");
    writeFileSync(join(dir, `${name}.crt`), cert);
    const found = findCertificate(dir);
    assert.deepEqual(found?.files, { dir, name });
    assert.deepEqual(pairOf(found?.first ?? null), { key, cert });
  }
  writeFileSync(join(dir, "smtp.crt"), "no certificate");
  assert.throws(() => findCertificate(dir), /PEM/);
});
