/**
 * What a domain gets when it is bound: its ownership token and its DKIM key.
 * Decides on their form. Sealing the private key and storing the domain are left to the caller.
 */
import { createHash, generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { NewDomain } from "../spool/port/domains.ts";
import { initialChecks } from "./standing.ts";

export { type DomainName, normaliseDomainName } from "./domain-name.ts";

const TOKEN_BYTES = 24;
/** What receivers accept everywhere and what fits two strings of a TXT record (RFC 8301 §3.2). */
const RSA_BITS = 2048;

/** A domain ready to be stored once its private key is sealed. */
export type Binding = Omit<NewDomain, "sealedPrivateKey"> & {
  /** PKCS #8. */
  privateKeyPem: string;
};

export interface BindingRequest {
  accountId: string;
  /** As `normaliseDomainName` gives it. */
  name: string;
  nowMs: number;
}

/** Makes a domain's token, key pair and pending checks. The selector follows from the key, so each key has its own. */
export async function createDomain({ accountId, name, nowMs }: BindingRequest): Promise<Binding> {
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
