/**
 * The service's own certificate: which files it is in, and that a renewed one is served without a restart. A pair that
 * cannot be used never takes the place of one that is.
 *
 * The files are read again every few seconds and their contents compared. Watching them would miss renewals: certbot and
 * Kubernetes put a new link in the path, network file systems tell nobody, and copies may keep an older time.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type CertificatePair, checkPair, parsePair } from "../security/certificate-pair.ts";

export interface Certificate extends CertificatePair {
  /** When it ends, milliseconds since the epoch. */
  untilMs: number;
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

/** Null where there is none. Throws when it is there and cannot be read or used; one that has expired is served all the same. */
export function readCertificate(certsDir: string): Certificate | null {
  const [cert, key] = placesIn(certsDir);
  if (!existsSync(cert) || !existsSync(key)) return null;
  const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  return { ...pair, untilMs: Date.parse(parsePair(pair).validTo) };
}

/** Serves each new pair that can be used, and says in the log when one cannot. Returns how to stop. */
export function watchCertificate({ certsDir, served, clock, log, serve }: CertificateWatch): () => void {
  let current = textOf(served);
  let seen = current;
  let told = "";
  let isStopped = false;
  let cancel = (): void => {};

  function take(found: CertificatePair | Error): void {
    const text = textOf(found);
    // The two files are written one after the other: what two looks agree on is written to its end.
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === current) return;
    const renewed = found instanceof Error ? found.message : usable(found, clock.now());
    if (typeof renewed === "string") {
      if (text === told) return;
      told = text;
      log.warn({ error: renewed }, "the new http.crt and http.key cannot be used: the old certificate is served on");
      return;
    }
    serve(renewed);
    current = text;
    log.info({ notAfter: new Date(renewed.untilMs).toISOString() }, "the new certificate is served");
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

async function readAgain(certsDir: string): Promise<CertificatePair | Error> {
  try {
    const [cert, key] = await Promise.all(placesIn(certsDir).map((path) => readFile(path, "utf8")));
    return { cert: cert ?? "", key: key ?? "" };
  } catch (error) {
    return error as Error;
  }
}

const textOf = (found: CertificatePair | Error): string =>
  found instanceof Error ? found.message : `${found.cert}\n${found.key}`;

/** A pair that can take another's place, or why it cannot. */
function usable(pair: CertificatePair, nowMs: number): Certificate | string {
  const judgement = checkPair(pair, nowMs);
  switch (judgement.type) {
    case "usable":
      return { ...pair, untilMs: judgement.untilMs };
    case "unusable":
      return judgement.fault;
    case "not_yet_valid":
      return `it is valid only from ${new Date(judgement.fromMs).toISOString()}`;
    case "expired":
      return `it is valid only until ${new Date(judgement.untilMs).toISOString()}`;
  }
}
