/**
 * Tokens of links that let somebody choose a password. The link has the token, the spool only its hash: a copy of the spool contains
 * no usable link.
 */
import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

export interface LinkToken {
  /** For the path of a URL. */
  token: string;
  hash: Buffer;
}

export function newLinkToken(): LinkToken {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  return { token, hash: hashLinkToken(token) };
}

export const hashLinkToken = (token: string): Buffer => createHash("sha256").update(`link ${token}`).digest();
