/**
 * What is known about the certificate by ACME besides the certificate itself: what it covers, and what has failed since. All nodes
 * and the doctor read it; the node with the duty writes it. Times are milliseconds since the epoch.
 */
import { CERTIFICATE_ENTRIES, type KeyValueStore } from "./key-value.ts";

export interface CertificateFailure {
  /** Attempts that have failed in succession. */
  count: number;
  /** Of the last failed attempt. */
  atMs: number;
  /** When the next attempt may begin. */
  nextAtMs: number;
  /** What the authority has replied, or why it could not be asked. */
  detail: string;
}

export interface CertificateState {
  /** Null before the first one. `fromMs` is set if the certificate was not valid yet, by this server's clock, when it was obtained. */
  certificate: { names: string[]; untilMs: number; fromMs?: number } | null;
  /** When it was obtained, by this server's clock; absent before the first one. */
  obtainedAtMs?: number;
  /** When the account at the authority was last replaced because the authority refused it; absent before. */
  accountReplacedAtMs?: number;
  /** The host names that the authority could not validate. */
  refused: Record<string, CertificateFailure>;
  /** Of the orders as a whole; null after one without a failure. */
  order: CertificateFailure | null;
}

/** Characters of a stored reply. */
export const DETAIL_MAX = 500;

const NOTHING: CertificateState = { certificate: null, refused: {}, order: null };

/** The empty state if there is none, or it is damaged. */
export async function readCertificateState(store: Pick<KeyValueStore, "readValue">): Promise<CertificateState> {
  const text = await store.readValue(CERTIFICATE_ENTRIES.state);
  if (text === null) return NOTHING;
  try {
    return { ...NOTHING, ...(JSON.parse(text) as CertificateState) };
  } catch {
    return NOTHING;
  }
}

export async function writeCertificateState(
  store: Pick<KeyValueStore, "writeValue">,
  state: CertificateState,
): Promise<void> {
  await store.writeValue(CERTIFICATE_ENTRIES.state, JSON.stringify(state));
}
