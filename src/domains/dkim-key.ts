/** Generates DKIM keys and their selectors. */
import { createHash, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";

/** Every receiver accepts this size, and the key fits into two strings of a TXT record (RFC 8301 §3.2). */
const RSA_BITS = 2048;

const SELECTOR_PREFIX = "pr";

export interface DkimKey {
  /** Derived from the key, so it is unique to it. */
  selector: string;
  /** SubjectPublicKeyInfo in base64, as the record's `p=` has it. */
  publicKey: string;
  /** PKCS #8. */
  privateKeyPem: string;
}

const GENERATED = new RegExp(`^${SELECTOR_PREFIX}[0-9a-f]{8}$`);

/** Whether a selector has the form of those generated here: then the key is, or was, one of this service. */
export const isGeneratedSelector = (selector: string): boolean => GENERATED.test(selector);

export async function generateDkimKey(): Promise<DkimKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const digest = createHash("sha256").update(publicKey).digest("hex");
  return {
    selector: `${SELECTOR_PREFIX}${digest.slice(0, 8)}`,
    publicKey: publicKey.toString("base64"),
    privateKeyPem: privateKey,
  };
}
