/** The certificate with its key, and the account at the authority: two secrets of the spool, sealed under the master key. */
import type { CertificatePair } from "../security/certificate-pair.ts";
import { secretSealName, type Vault } from "../security/vault.ts";
import type { Secrets } from "../spool/port/secrets.ts";
import type { Account } from "./order.ts";

export interface SealedParts {
  store: Secrets;
  vault: Pick<Vault, "seal" | "open">;
}

export interface StoredCertificate extends CertificatePair {
  /** Of the authority. */
  directory: string;
  /** Its host names. */
  names: string[];
}

/** Stored, so they do not change. */
const CERTIFICATE = "acme-certificate";
const ACCOUNT = "acme-account";

/** Null before the first one, and if it was sealed with a master key that is lost: another one is obtained then. */
export const readStoredCertificate = (parts: SealedParts): Promise<StoredCertificate | null> =>
  read(parts, CERTIFICATE);

export const storeCertificate = (parts: SealedParts, certificate: StoredCertificate): Promise<void> =>
  write(parts, CERTIFICATE, certificate);

/** As readStoredCertificate. */
export const readAccount = (parts: SealedParts): Promise<Account | null> => read(parts, ACCOUNT);

export const storeAccount = (parts: SealedParts, account: Account): Promise<void> => write(parts, ACCOUNT, account);

/** The sealed certificate, to see whether it has changed without opening it. */
export const sealedCertificate = (store: Pick<Secrets, "readSecret">): Promise<Buffer | null> =>
  store.readSecret(CERTIFICATE);

/** As readStoredCertificate, of a certificate that was read. */
export const openCertificate = (vault: SealedParts["vault"], sealed: Buffer): StoredCertificate | null =>
  opened(vault, CERTIFICATE, sealed);

async function read<T>({ store, vault }: SealedParts, name: string): Promise<T | null> {
  const sealed = await store.readSecret(name);
  return sealed === null ? null : opened<T>(vault, name, sealed);
}

/** Null if it was sealed with another master key. */
function opened<T>(vault: Pick<Vault, "open">, name: string, sealed: Buffer): T | null {
  try {
    return JSON.parse(vault.open(secretSealName(name), sealed)) as T;
  } catch {
    return null;
  }
}

/** One node at a time writes, but one that has lost its duty may still do so: the last one wins. */
async function write({ store, vault }: SealedParts, name: string, value: object): Promise<void> {
  const sealed = vault.seal(secretSealName(name), JSON.stringify(value));
  const present = await store.readSecret(name);
  if (present === null) await store.addSecret(name, sealed);
  else await store.addSecret(name, sealed, present);
}
