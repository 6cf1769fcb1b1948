/** The DKIM key of the host's own domain, in a file that an operator keeps. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { systemReason } from "../lib/error-text.ts";

export interface HostDkim {
  /** A-labels. */
  domain: string;
  selector: string;
  keyFile: string;
  /** Of RSA; null where secret files are not read. */
  privateKey: KeyObject | null;
}

/** Receivers verify keys of 1024 to 4096 bits (RFC 8301 §3.2). */
const BITS_MIN = 1024;
const BITS_MAX = 4096;

/** `fault` follows the file's name in a sentence, and has no part of the content. */
export type ReadSigningKey = { type: "key"; key: KeyObject } | { type: "unreadable" | "unsuitable"; fault: string };

/** Returns the RSA key in a PEM file. */
export function readSigningKey(path: string): ReadSigningKey {
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    return { type: "unreadable", fault: `is not readable: ${systemReason(error)}` };
  }
  const key = parsed(pem);
  const bits = rsaBits(key);
  if (key !== null && bits >= BITS_MIN && bits <= BITS_MAX) return { type: "key", key };
  const found = bits === 0 ? "" : `, and it has ${bits}`;
  const fault = `is not valid: the file must hold an RSA private key of ${BITS_MIN} to ${BITS_MAX} bits in PEM, without a passphrase${found}`;
  return { type: "unsuitable", fault };
}

/** The length of an RSA key; 0 for any other. */
export const rsaBits = (key: KeyObject | null): number =>
  key?.asymmetricKeyType === "rsa" ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;

function parsed(pem: Buffer): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
