/** Creates the ownership token and the DKIM key of a new domain. The caller seals the private key and stores the domain. */
import { randomBytes } from "node:crypto";
import type { NewDomain } from "../spool/port/domains.ts";
import { generateDkimKey } from "./dkim-key.ts";
import { initialChecks } from "./verification-state.ts";

const TOKEN_BYTES = 24;

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

/** Generates the token, the DKIM key and the pending checks. */
export async function createDomain({ accountId, name, nowMs }: NewDomainRequest): Promise<UnsealedDomain> {
  return {
    accountId,
    name,
    token: randomBytes(TOKEN_BYTES).toString("base64url"),
    createdAtMs: nowMs,
    checks: initialChecks(),
    ...(await generateDkimKey()),
  };
}
