/**
 * Password hashes for tests that are not about passwords: stored in the product's format, but sixty times cheaper to
 * verify.
 */
import { randomBytes, scryptSync } from "node:crypto";

const PARAMETERS = { N: 1024, r: 8, p: 1 };
const HASH_BYTES = 32;

/** The format of src/security/passwords.ts, which reads the parameters from the hash. */
export function cheapHash(password: string): string {
  const { N, r, p } = PARAMETERS;
  const salt = randomBytes(16);
  const hash = scryptSync(password.normalize("NFC"), salt, HASH_BYTES, PARAMETERS);
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$");
}
