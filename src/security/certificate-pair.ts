/**
 * Whether a certificate and its key can be served: both readable, matching, and valid now. The listener decides with it whether
 * to serve a new pair, and the doctor reports it.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";

/** PEM. */
export interface CertificatePair {
  /** The certificate, followed by its intermediate certificates. */
  cert: string;
  key: string;
}

export type PairStatus =
  | { type: "usable"; certificate: X509Certificate; untilMs: number }
  | { type: "unusable"; fault: string }
  | { type: "not_yet_valid"; certificate: X509Certificate; fromMs: number; untilMs: number }
  | { type: "expired"; untilMs: number };

/** A pair that can never be served; the message is the reason. */
export class InvalidPairError extends Error {}

/** Checks the pair of the files `name`.crt and `name`.key as of `nowMs`. Times are milliseconds since the epoch. */
export function checkPair(pair: CertificatePair, nowMs: number, name = "http"): PairStatus {
  try {
    const certificate = parsePair(pair, name);
    const [fromMs, untilMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    if (nowMs > untilMs) return { type: "expired", untilMs };
    if (nowMs < fromMs) return { type: "not_yet_valid", certificate, fromMs, untilMs };
    return { type: "usable", certificate, untilMs };
  } catch (error) {
    return { type: "unusable", fault: (error as Error).message };
  }
}

/** The certificate of a pair, valid at present or not. Throws InvalidPairError. */
export function parsePair(pair: CertificatePair, name = "http"): X509Certificate {
  try {
    // createSecureContext accepts an empty key as no key, and every handshake would fail.
    const key = createPrivateKey(pair.key);
    const certificate = new X509Certificate(pair.cert);
    if (!certificate.checkPrivateKey(key)) throw new Error(`${name}.key does not match ${name}.crt`);
    createSecureContext(pair);
    return certificate;
  } catch (error) {
    throw new InvalidPairError((error as Error).message);
  }
}
