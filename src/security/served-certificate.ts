/**
 * A certificate of the service: reads it, and serves a renewed one without a restart. A pair that cannot be used never replaces
 * one that can.
 *
 * The certificate is that of files, else the one that the service has obtained (acme/).
 *
 * The files are read again every few seconds and their contents compared. Watching them would miss renewals: certbot and
 * Kubernetes replace a link in the path, network file systems report no changes, and copies may keep an older time.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type CertificatePair, checkPair, parsePair } from "./certificate-pair.ts";

export interface Certificate extends CertificatePair {
  /** When it expires, milliseconds since the epoch. */
  untilMs: number;
}

/** Where a listener finds its certificate. */
export interface CertificatePlaces {
  dir: string;
  /** The first of these pairs that exists is served: `DIR/NAME.crt` and `DIR/NAME.key`. */
  names: readonly PairName[];
  /** The pair that the service has obtained, for a listener without files; null before there is one. */
  obtained?: ObtainedPair | undefined;
}

type PairName = "http" | "smtp";

export type ObtainedPair = () => CertificatePair | null;

export interface CertificateWatch {
  places: CertificatePlaces;
  served: CertificatePair;
  clock: Clock;
  log: Logger;
  /** Serves another certificate, beginning with the next handshake. */
  serve: (certificate: Certificate) => void;
}

const READ_INTERVAL_MS = 10_000;

/** The names of both files, of the first pair that exists; null without any. */
function filesIn({ dir, names }: CertificatePlaces): [cert: string, key: string] | null {
  const all = names.map((name) => filesOf(dir, name));
  return all.find((files) => files.every((file) => existsSync(file))) ?? null;
}

const filesOf = (dir: string, name: PairName): [string, string] => [join(dir, `${name}.crt`), join(dir, `${name}.key`)];

/** Returns null where there is no certificate. Throws where it cannot be read or used; an expired one is returned. */
export function readCertificate(places: CertificatePlaces): Certificate | null {
  const files = filesIn(places);
  const pair = files === null ? places.obtained?.() : pairIn(...files);
  if (!pair) return null;
  return { ...pair, untilMs: Date.parse(parsePair(pair, nameOf(files)).validTo) };
}

const pairIn = (cert: string, key: string): CertificatePair => ({
  cert: readFileSync(cert, "utf8"),
  key: readFileSync(key, "utf8"),
});

/** `http` or `smtp`, for errors. */
const nameOf = (files: readonly string[] | null): string =>
  files === null ? "http" : basename(files[0] ?? "", ".crt");

/** Serves each new pair that can be used, and logs a warning for one that cannot. Returns a function that stops the watch. */
export function watchCertificate({ places, served, clock, log, serve }: CertificateWatch): () => void {
  let current = textOf(served);
  let seen = current;
  let warned = "";
  let isStopped = false;
  let cancel = (): void => {};

  function consider({ found, name, isObtained }: Found): void {
    const text = textOf(found);
    // The files are written one after the other, so a pair counts as complete only when two readings agree.
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === current) return;
    const renewed = found instanceof Error ? found.message : usable({ pair: found, name, isObtained }, clock.now());
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
    const found = await readAgain(places);
    if (isStopped) return;
    if (found !== null) consider(found);
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

interface Found {
  found: CertificatePair | Error;
  name: string;
  isObtained: boolean;
}

/** Null where nothing has been obtained yet, and there are no files. */
async function readAgain(places: CertificatePlaces): Promise<Found | null> {
  const present = filesIn(places);
  if (present === null && places.obtained !== undefined) {
    const found = places.obtained();
    return found === null ? null : { found, name: nameOf(null), isObtained: true };
  }
  // Files that are gone are reported by the name that they had at last.
  const files = present ?? filesOf(places.dir, places.names.at(-1) ?? "http");
  const name = nameOf(files);
  try {
    const [cert = "", key = ""] = await Promise.all(files.map((path) => readFile(path, "utf8")));
    return { found: { cert, key }, name, isObtained: false };
  } catch (error) {
    return { found: error as Error, name, isObtained: false };
  }
}

const textOf = (found: CertificatePair | Error): string =>
  found instanceof Error ? found.message : `${found.cert}\n${found.key}`;

/**
 * Returns a pair that can replace another, or why it cannot. An obtained one comes from an authority whose clock is right: clients
 * accept it where this host's clock is behind.
 */
function usable(
  { pair, name, isObtained }: { pair: CertificatePair; name: string; isObtained: boolean },
  nowMs: number,
): Certificate | string {
  const judgement = checkPair(pair, nowMs, name);
  switch (judgement.type) {
    case "usable":
      return { ...pair, untilMs: judgement.untilMs };
    case "unusable":
      return judgement.fault;
    case "not_yet_valid":
      if (isObtained) return { ...pair, untilMs: judgement.untilMs };
      return `it is valid only from ${new Date(judgement.fromMs).toISOString()}`;
    case "expired":
      return `it is valid only until ${new Date(judgement.untilMs).toISOString()}`;
  }
}
