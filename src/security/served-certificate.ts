/**
 * A certificate of the service: reads it, and serves a renewed one without a restart. A pair that cannot be used never replaces
 * one that can.
 *
 * The files are read again every few seconds and their contents compared. Watching them would miss renewals: certbot and
 * Kubernetes replace a link in the path, network file systems report no changes, and copies may keep an older time.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type CertificatePair, checkPair, parsePair } from "./certificate-pair.ts";

export interface Certificate extends CertificatePair {
  /** When it expires, milliseconds since the epoch. */
  untilMs: number;
}

/** `DIR/NAME.crt` and `DIR/NAME.key`. */
export interface CertificateFiles {
  dir: string;
  name: "http" | "smtp";
}

export interface CertificateWatch {
  files: CertificateFiles;
  served: Certificate;
  clock: Clock;
  log: Logger;
  /** Serves another certificate, beginning with the next handshake. */
  serve: (certificate: Certificate) => void;
}

const READ_INTERVAL_MS = 10_000;

const pathsOf = ({ dir, name }: CertificateFiles) => [join(dir, `${name}.crt`), join(dir, `${name}.key`)] as const;

/** Returns null where there is no certificate. Throws where it cannot be read or used; an expired one is returned. */
export function readCertificate(files: CertificateFiles): Certificate | null {
  const [cert, key] = pathsOf(files);
  if (!existsSync(cert) || !existsSync(key)) return null;
  const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  return { ...pair, untilMs: Date.parse(parsePair(pair, files.name).validTo) };
}

/** Serves each new pair that can be used, and logs a warning for one that cannot. Returns a function that stops the watch. */
export function watchCertificate({ files, served, clock, log, serve }: CertificateWatch): () => void {
  let current = textOf(served);
  let seen = current;
  let warned = "";
  let isStopped = false;
  let cancel = (): void => {};

  function consider(found: CertificatePair | Error): void {
    const text = textOf(found);
    // The files are written one after the other, so a pair counts as complete only when two readings agree.
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === current) return;
    const renewed = found instanceof Error ? found.message : usable(found, files.name, clock.now());
    if (typeof renewed === "string") {
      if (text === warned) return;
      warned = text;
      log.warn({ error: renewed }, "new certificate rejected: still serving the old one");
      return;
    }
    serve(renewed);
    current = text;
    log.info({ notAfter: new Date(renewed.untilMs).toISOString() }, "serving the new certificate");
  }

  const readNow = async (): Promise<void> => {
    const found = await readAgain(files);
    if (isStopped) return;
    consider(found);
    sleep();
  };
  const sleep = (): void => {
    cancel = clock.after(READ_INTERVAL_MS, () => void readNow());
  };
  sleep();
  return () => {
    isStopped = true;
    cancel();
  };
}

async function readAgain(files: CertificateFiles): Promise<CertificatePair | Error> {
  try {
    const [cert, key] = await Promise.all(pathsOf(files).map((path) => readFile(path, "utf8")));
    return { cert: cert ?? "", key: key ?? "" };
  } catch (error) {
    return error as Error;
  }
}

const textOf = (found: CertificatePair | Error): string =>
  found instanceof Error ? found.message : `${found.cert}\n${found.key}`;

/** Returns a pair that can replace another, or why it cannot. */
function usable(pair: CertificatePair, name: CertificateFiles["name"], nowMs: number): Certificate | string {
  const judgement = checkPair(pair, nowMs, name);
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
