/** A self-signed certificate for the HTTPS listener until there is the first one of an authority. */
import { KeyObject, randomBytes, webcrypto } from "node:crypto";
import {
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { DAY_MS, HOUR_MS } from "../lib/units.ts";
import type { CertificatePair } from "../security/certificate-pair.ts";

/** A service that has none after so long has been warned of it for weeks. */
const VALID_MS = 90 * DAY_MS;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** For these host names, valid from an hour ago. */
export async function placeholderCertificate(names: readonly string[], nowMs: number): Promise<CertificatePair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: ALGORITHM,
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    name: "CN=Postrider without a certificate yet",
    notBefore: new Date(nowMs - HOUR_MS),
    notAfter: new Date(nowMs + VALID_MS),
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value }))),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
  return { cert: certificate.toString("pem"), key };
}
