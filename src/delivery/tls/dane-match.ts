/**
 * Whether TLSA records match the certificates that a peer presented (RFC 6698 §2.1, RFC 7671 §5, RFC 7672 §3). dane.ts decides
 * where the records come from and whether they are secure.
 */
import { createHash, type X509Certificate } from "node:crypto";
import type { TlsaRecord } from "../../dns/record-data.ts";

/** The certificate usages of SMTP (RFC 7672 §3.1): a trust anchor of the domain's own, or the host's own key. */
const DANE_TA = 2;
const DANE_EE = 3;

const WHOLE_CERTIFICATE = 0;
const DIGESTS = [null, "sha256", "sha512"];
const DIGEST_BYTES = [null, 32, 64];

/** Further requirements for a certificate that a trust anchor vouches for. */
export interface Expected {
  /** Any one of these names suffices (RFC 7672 §3.2.2). */
  names: string[];
  nowMs: number;
}

/** Whether a record is usable; an unusable one counts as absent (RFC 7672 §3.1.3, RFC 7671 §5). */
export function isUsable({ usage, selector, matchingType, data }: TlsaRecord): boolean {
  if ((usage !== DANE_TA && usage !== DANE_EE) || selector > 1 || matchingType >= DIGESTS.length) return false;
  return data.length > 0 && data.length === (DIGEST_BYTES[matchingType] ?? data.length);
}

/** Why no usable record vouches for the chain (the peer's own certificate first); null when one does. */
export function daneObjection(records: TlsaRecord[], chain: X509Certificate[], expected: Expected): string | null {
  const [own, ...issuers] = chain;
  if (own === undefined) return "no certificate was presented";
  const vouchesFor = (usage: number, certificate: X509Certificate): boolean =>
    records.some((record) => record.usage === usage && matches(record, certificate));
  // Names and dates are not checked: the record itself binds the key to the host (RFC 7672 §3.1.1).
  if (vouchesFor(DANE_EE, own)) return null;
  let objection = "no TLSA record matches the certificate or its issuers";
  for (const [at, anchor] of issuers.entries()) {
    if (!vouchesFor(DANE_TA, anchor)) continue;
    const fault = pathFault(own, issuers.slice(0, at + 1), expected);
    if (fault === null) return null;
    objection = fault;
  }
  return objection;
}

function matches({ selector, matchingType, data }: TlsaRecord, { raw }: X509Certificate): boolean {
  const selected = selector === WHOLE_CERTIFICATE ? raw : subjectPublicKeyInfo(raw);
  const digest = DIGESTS[matchingType];
  return data.equals(digest == null ? selected : createHash(digest).update(selected).digest());
}

/** Why the path from the peer's certificate to the trust anchor is invalid; null when it is valid. */
function pathFault(own: X509Certificate, issuers: X509Certificate[], { names, nowMs }: Expected): string | null {
  let issued = own;
  for (const issuer of issuers) {
    if (!isIssuedBy(issued, issuer)) return "the chain to the TLSA record's trust anchor does not verify";
    issued = issuer;
  }
  const isOld = (certificate: X509Certificate) => !(nowMs <= Date.parse(certificate.validTo));
  const isYoung = (certificate: X509Certificate) => !(nowMs >= Date.parse(certificate.validFrom));
  if ([own, ...issuers].some(isOld)) return "a certificate has expired";
  if ([own, ...issuers].some(isYoung)) return "a certificate is not valid yet";
  if (names.some((name) => own.checkHost(name, { partialWildcards: false }) !== undefined)) return null;
  return `the certificate does not name ${names.join(" or ")}`;
}

function isIssuedBy(issued: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
  } catch {
    // A key type that OpenSSL does not support.
    return false;
  }
}

/**
 * SubjectPublicKeyInfo as encoded in the certificate (RFC 5280 §4.1); a parsed key may be encoded differently. OpenSSL has parsed
 * these bytes before, so they are well-formed DER.
 */
function subjectPublicKeyInfo(certificate: Buffer): Buffer {
  const toBeSigned = elementAt(certificate, elementAt(certificate, 0).contentAt);
  let at = toBeSigned.contentAt;
  const isVersion = elementAt(certificate, at).tag === 0xa0;
  // Skips the version where there is one, serial number, signature, issuer, validity and subject.
  for (let passed = 0; passed < (isVersion ? 6 : 5); passed += 1) at = elementAt(certificate, at).endAt;
  return certificate.subarray(at, elementAt(certificate, at).endAt);
}

function elementAt(der: Buffer, at: number): { tag: number; contentAt: number; endAt: number } {
  const first = der.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const contentAt = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  return { tag: der.readUInt8(at), contentAt, endAt: contentAt + length };
}
