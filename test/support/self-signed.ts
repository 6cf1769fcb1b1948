/**
 * A self-signed certificate for tests, made without external tools: X.509 v3 (RFC 5280) written out in DER.
 */
import { generateKeyPairSync, sign } from "node:crypto";

export interface KeyAndCertificate {
  /** PEM. */
  key: string;
  /** PEM; also the trust anchor that verifies it. */
  cert: string;
}

const ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const DAY_MS = 86_400_000;

/** A P-256 certificate for one DNS name, valid from yesterday until tomorrow. */
export function selfSigned(name: string): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const altName = sequence(SUBJECT_ALT_NAME, der(0x04, sequence(der(0x82, Buffer.from(name)))));
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    sequence(ECDSA_WITH_SHA256),
    subject,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(altName)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, sequence(ECDSA_WITH_SHA256), signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64").replace(/.{64}/gu, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
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
