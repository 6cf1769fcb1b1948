/**
 * Whether a certificate and its key can be served: both readable, of one pair, valid now. One judgement for the listener,
 * which serves a new pair by it, and for the doctor; what follows, and how it is said, is theirs.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";

/** PEM. */
export interface CertificatePair {
  /** The certificate, and those between it and its root. */
  cert: string;
  key: string;
}

export type PairStatus =
  | { type: "usable"; certificate: X509Certificate; untilMs: number }
  | { type: "unusable"; fault: string }
  | { type: "early"; fromMs: number }
  | { type: "expired"; untilMs: number };

/** Thrown for a pair that cannot be served at any time; the message says why. */
export class InvalidPairError extends Error {}

/** Judges a pair as of `nowMs`. Times are milliseconds since the epoch. */
export function checkPair(pair: CertificatePair, nowMs: number): PairStatus {
  try {
    const certificate = parsePair(pair);
    const [fromMs, untilMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    if (nowMs > untilMs) return { type: "expired", untilMs };
    if (nowMs < fromMs) return { type: "early", fromMs };
    return { type: "usable", certificate, untilMs };
  } catch (error) {
    return { type: "unusable", fault: (error as Error).message };
  }
}

/** The certificate of a pair, whenever it is valid. Throws UnusablePair. */
export function parsePair(pair: CertificatePair): X509Certificate {
  try {
    // A secure context takes an empty key for none at all, and each handshake would fail.
    const key = createPrivateKey(pair.key);
    const certificate = new X509Certificate(pair.cert);
    if (!certificate.checkPrivateKey(key)) throw new Error("http.key is not the key of http.crt");
    createSecureContext(pair);
    return certificate;
  } catch (error) {
    throw new InvalidPairError((error as Error).message);
  }
}
