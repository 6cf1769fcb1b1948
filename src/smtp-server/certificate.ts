/** The certificate of the SMTP listeners: `smtp.crt` and `smtp.key` in CERTS_DIR, else the pair of HTTP. */
import { type Certificate, type CertificateFiles, readCertificate } from "../security/served-certificate.ts";

/** How often files are looked for that are not there yet: as often as a certificate that is served is read again. */
export const LOOK_INTERVAL_MS = 10_000;

export interface Certified {
  files: CertificateFiles;
  first: Certificate;
}

/** Returns null where there is none. Throws where it cannot be used. */
export function findCertificate(dir: string): Certified | null {
  for (const name of ["smtp", "http"] as const) {
    const first = readCertificate({ dir, name });
    if (first !== null) return { files: { dir, name }, first };
  }
  return null;
}

/** What smtp-server needs of it. */
export const pairOf = (certificate: Certificate | null): { cert: string; key: string } | null =>
  certificate === null ? null : { cert: certificate.cert, key: certificate.key };
