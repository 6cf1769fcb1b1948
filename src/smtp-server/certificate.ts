/** The certificate of the SMTP listeners: `smtp.crt` and `smtp.key` in CERTS_DIR, else the pair of HTTP, else the obtained one. */
import {
  type Certificate,
  type CertificatePlaces,
  type ObtainedPair,
  readCertificate,
} from "../security/served-certificate.ts";

/** How often a missing file is searched for: as often as a certificate that is served is read again. */
export const LOOK_INTERVAL_MS = 10_000;

/** What the options of both listeners name. */
export interface SmtpCertificateOptions {
  certsDir: string;
  /** The pair that the service obtains; absent where it obtains none. */
  obtained?: ObtainedPair | undefined;
}

export interface Certified {
  places: CertificatePlaces;
  first: Certificate;
}

/** Returns null where there is none. Throws where it cannot be used. */
export function findCertificate({ certsDir: dir, obtained }: SmtpCertificateOptions): Certified | null {
  const places: CertificatePlaces = { dir, names: ["smtp", "http"], obtained };
  const first = readCertificate(places);
  return first === null ? null : { places, first };
}

/** What smtp-server needs of it. */
export const pairOf = (certificate: Certificate | null): { cert: string; key: string } | null =>
  certificate === null ? null : { cert: certificate.cert, key: certificate.key };
