/**
 * Certificates for tests without external tools: self-signed ones, and authorities with the certificates they issue.
 * Encodes X.509 v3 (RFC 5280) in DER.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface KeyAndCertificate {
  /** PEM. */
  key: string;
  /** PEM, also the trust anchor that verifies it. An issued certificate is followed by those of its issuers. */
  cert: string;
}

export interface Authority {
  /** PEM: the trust anchor. */
  cert: string;
  /** A certificate for one DNS name, followed by those of this authority and the ones above it. */
  issue(name: string, validity?: Validity): KeyAndCertificate;
  /** Creates an authority below this one. */
  authority(name: string): Authority;
  /** An issuer whose own certificate is that of a host. */
  pretender(host: string): Authority;
}

/** By default from yesterday until tomorrow. */
export interface Validity {
  fromMs?: number;
  untilMs?: number;
}

interface Algorithm {
  digest: "sha256" | "sha1";
  /** An AlgorithmIdentifier with its parameters. */
  identifier: Buffer;
}

const ECDSA_WITH_SHA256: Algorithm = { digest: "sha256", identifier: Buffer.from("06082a8648ce3d040302", "hex") };
const RSA_WITH_SHA1: Algorithm = { digest: "sha1", identifier: Buffer.from("06092a864886f70d0101050500", "hex") };
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const TRUE = Buffer.from("0101ff", "hex");
const DAY_MS = 86_400_000;

/** A P-256 certificate for one DNS name, valid from yesterday until tomorrow. */
export function selfSigned(name: string, validity: Validity = {}): KeyAndCertificate {
  const keys = newKeys();
  const issuer = { name, privateKey: keys.privateKey };
  return { key: pemKey(keys), cert: pem(certificate({ name, keys, issuer, validity, extension: dnsName(name) })) };
}

/** A certificate as on old servers: RSA with 1024 bits, signed with SHA-1. */
export function weakSelfSigned(name: string): KeyAndCertificate {
  const keys = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const content = { name, keys, issuer: { name, privateKey: keys.privateKey }, validity: {}, extension: dnsName(name) };
  return { key: pemKey(keys), cert: pem(certificate({ ...content, algorithm: RSA_WITH_SHA1 })) };
}

/** Creates a root authority. */
export function certificateAuthority(name = "Test Root"): Authority {
  const keys = newKeys();
  return authority({ name, keys, issuer: { name, privateKey: keys.privateKey }, above: "" });
}

interface Keys {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

interface Issuer {
  name: string;
  privateKey: KeyObject;
}

interface Founding {
  name: string;
  keys: Keys;
  issuer: Issuer;
  /** The certificates above it, in PEM. */
  above: string;
  extension?: Buffer;
}

function authority({ name, keys, issuer, above, extension = isAuthority() }: Founding): Authority {
  const cert = pem(certificate({ name, keys, issuer, validity: {}, extension })) + above;
  const self = { name, privateKey: keys.privateKey };
  return {
    cert,
    issue(host, validity = {}) {
      const own = newKeys();
      const issued = certificate({ name: host, keys: own, issuer: self, validity, extension: dnsName(host) });
      return { key: pemKey(own), cert: pem(issued) + cert };
    },
    authority: (below) => authority({ name: below, keys: newKeys(), issuer: self, above: cert }),
    pretender: (host) =>
      authority({ name: host, keys: newKeys(), issuer: self, above: cert, extension: dnsName(host) }),
  };
}

interface Content {
  name: string;
  keys: Keys;
  issuer: Issuer;
  validity: Validity;
  extension: Buffer;
  algorithm?: Algorithm;
}

let serial = 0;

function certificate({ name, keys, issuer, validity, extension, algorithm = ECDSA_WITH_SHA256 }: Content): Buffer {
  const { fromMs = Date.now() - DAY_MS, untilMs = Date.now() + DAY_MS } = validity;
  serial = (serial % 127) + 1;
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    sequence(algorithm.identifier),
    distinguishedName(issuer.name),
    sequence(utcTime(fromMs), utcTime(untilMs)),
    distinguishedName(name),
    keys.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign(algorithm.digest, toBeSigned, issuer.privateKey)]));
  return sequence(toBeSigned, sequence(algorithm.identifier), signature);
}

function distinguishedName(name: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
}

function dnsName(name: string): Buffer {
  return sequence(SUBJECT_ALT_NAME, der(0x04, sequence(der(0x82, Buffer.from(name)))));
}

function isAuthority(): Buffer {
  return sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE)));
}

function newKeys(): Keys {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function pemKey({ privateKey }: Keys): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function pem(certificateDer: Buffer): string {
  // No empty line after a full last line, because OpenSSL takes it for the end.
  const lines = certificateDer.toString("base64").replace(/.{64}(?=.)/gu, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), content]);
}

function sequence(...items: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

function utcTime(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replace(/\D/gu, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
