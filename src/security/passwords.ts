/** Password hashes: scrypt with a random salt. The parameters are stored with each hash, so they can be raised later. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

const PARAMETERS = { N: 2 ** 16, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** The shortest password accepted. Length protects better than rules about characters. */
export const PASSWORD_LENGTH_MIN = 10;
/** Forms are truncated beyond this length, so a longer password would never match. */
export const PASSWORD_LENGTH_MAX = 1000;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return encodeHash(salt, await derive(password, salt, PARAMETERS));
}

/** A stored form that no password matches. Verifying against it takes as long as against any other. */
export function dummyHash(): string {
  return encodeHash(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

/** Whether `stored` is a hash of the password. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = stored.split("$");
  const expected = Buffer.from(hash ?? "", "base64");
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt ?? "", "base64"), parameters), expected);
}

function encodeHash(salt: Buffer, hash: Buffer): string {
  const { N, r, p } = PARAMETERS;
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$");
}

function derive(password: string, salt: Buffer, parameters: { N: number; r: number; p: number }): Promise<Buffer> {
  const options: ScryptOptions = { ...parameters, maxmem: 256 * parameters.N * parameters.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
