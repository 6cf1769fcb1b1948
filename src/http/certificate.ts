/**
 * The service's own certificate: which files it is in, and that a renewed one is served without a restart. A pair that
 * cannot be used never takes the place of one that is.
 *
 * The files are read again every few seconds and their contents compared. Watching them would miss renewals: certbot and
 * Kubernetes put a new link in the path, network file systems tell nobody, and copies may keep an older time.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { Clock } from "../clock.ts";
import type { Logger } from "../log.ts";

/** PEM. */
export interface Certificate {
  /** The certificate, and those between it and its root. */
  cert: string;
  key: string;
}

export interface CertificateWatch {
  certsDir: string;
  served: Certificate;
  clock: Clock;
  log: Logger;
  /** Serves another one from the next handshake on. */
  serve: (certificate: Certificate) => void;
}

const LOOK_MS = 10_000;

const placesIn = (certsDir: string) => [join(certsDir, "http.crt"), join(certsDir, "http.key")] as const;

/** Null where there is none. Throws when it is there and cannot be read or used. */
export function readCertificate(certsDir: string): Certificate | null {
  const [cert, key] = placesIn(certsDir);
  if (!existsSync(cert) || !existsSync(key)) return null;
  const certificate = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  requireUsable(certificate);
  return certificate;
}

/** Throws OpenSSL's error when it is no pair. */
function requireUsable(certificate: Certificate): void {
  // A secure context takes an empty key for none at all, and each handshake would fail.
  createPrivateKey(certificate.key);
  createSecureContext(certificate);
}

/** Milliseconds since the epoch. Throws when it is no certificate. */
export const notAfterMs = ({ cert }: Certificate): number => Date.parse(new X509Certificate(cert).validTo);

/** Serves each new pair that can be used, and says in the log when one cannot. Returns how to stop. */
export function watchCertificate({ certsDir, served, clock, log, serve }: CertificateWatch): () => void {
  let current = textOf(served);
  let seen = current;
  let told = "";
  let isStopped = false;
  let cancel = (): void => {};

  function take(found: Certificate | Error): void {
    const text = textOf(found);
    // The two files are written one after the other: what two looks agree on is written to its end.
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === current || text === told) return;
    const fault = found instanceof Error ? found.message : faultOf(found, clock.now());
    if (fault !== null || found instanceof Error) {
      told = text;
      log.warn({ error: fault }, "the new http.crt and http.key cannot be used: the old certificate is served on");
      return;
    }
    serve(found);
    current = text;
    log.info({ notAfter: new Date(notAfterMs(found)).toISOString() }, "the new certificate is served");
  }

  const look = async (): Promise<void> => {
    const found = await readAgain(certsDir);
    if (isStopped) return;
    take(found);
    sleep();
  };
  const sleep = (): void => {
    cancel = clock.after(LOOK_MS, () => void look());
  };
  sleep();
  return () => {
    isStopped = true;
    cancel();
  };
}

async function readAgain(certsDir: string): Promise<Certificate | Error> {
  try {
    const [cert, key] = await Promise.all(placesIn(certsDir).map((path) => readFile(path, "utf8")));
    return { cert: cert ?? "", key: key ?? "" };
  } catch (error) {
    return error as Error;
  }
}

const textOf = (found: Certificate | Error): string =>
  found instanceof Error ? found.message : `${found.cert}\n${found.key}`;

/** Why a pair cannot take another's place; null when it can. */
function faultOf(certificate: Certificate, nowMs: number): string | null {
  try {
    requireUsable(certificate);
    const untilMs = notAfterMs(certificate);
    return untilMs > nowMs ? null : `it is valid only until ${new Date(untilMs).toISOString()}`;
  } catch (error) {
    return (error as Error).message;
  }
}
