/** Creates the ownership token and the DKIM key of a new domain. The caller seals the private key and stores the domain. */
import { createHash, generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { NewDomain } from "../spool/port/domains.ts";
import { initialChecks } from "./verification-state.ts";

const TOKEN_BYTES = 24;
/** Every receiver accepts this size, and the key fits into two strings of a TXT record (RFC 8301 §3.2). */
const RSA_BITS = 2048;

/** A domain that is ready to be stored once its private key is sealed. */
export type UnsealedDomain = Omit<NewDomain, "sealedPrivateKey"> & {
  /** PKCS #8. */
  privateKeyPem: string;
};

export interface NewDomainRequest {
  accountId: string;
  /** As `normalizeDomainName` returns it. */
  name: string;
  nowMs: number;
}

/** Generates the token, the key pair and the pending checks. The selector is derived from the key, so it is unique to it. */
export async function createDomain({ accountId, name, nowMs }: NewDomainRequest): Promise<UnsealedDomain> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const digest = createHash("sha256").update(publicKey).digest("hex");
  return {
    accountId,
    name,
    token: randomBytes(TOKEN_BYTES).toString("base64url"),
    createdAtMs: nowMs,
    checks: initialChecks(),
    selector: `pr${digest.slice(0, 8)}`,
    publicKey: publicKey.toString("base64"),
    privateKeyPem: privateKey,
  };
}
