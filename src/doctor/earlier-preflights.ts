/**
 * What preflights by hand have found within the last hour, in a file of the user: from each address a receiver is tried once an hour at
 * most, because sessions without a message look like a probe. There is no spool before anything is installed.
 */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../lib/new-id.ts";
import { HOUR_MS } from "../lib/units.ts";
import type { AddressPreflight, ReceiverPreflight } from "./preflight.ts";

export type EarlierResult = Omit<ReceiverPreflight, "profile"> & { earlierAtMs: number };

const OCTETS_MAX = 1_048_576;

export class EarlierPreflights {
  readonly #path: string;
  readonly #nowMs: number;
  readonly #results: Map<string, EarlierResult>;

  /** Those of the last hour; none where the file cannot be read. */
  constructor(nowMs: number, path: string = pathOfUser()) {
    this.#path = path;
    this.#nowMs = nowMs;
    const recent = readResults(path).filter(([, { earlierAtMs: at }]) => at <= nowMs && at > nowMs - HOUR_MS);
    this.#results = new Map(recent);
  }

  /** Null if the receiver may be tried now. */
  of(address: string | null, receiver: string): EarlierResult | null {
    return this.#results.get(nameOf(address, receiver)) ?? null;
  }

  /** Adds what was tried now. Where the file cannot be written, the next run tries again. */
  add(preflights: readonly AddressPreflight[]): void {
    for (const { address, receivers } of preflights) {
      for (const { profile, ...result } of receivers) {
        // Nothing has reached the receiver, or it is an earlier result.
        if (result.step === null || result.step === "connect" || result.earlierAtMs !== undefined) continue;
        this.#results.set(nameOf(address, profile.name), { ...result, earlierAtMs: this.#nowMs });
      }
    }
    // A name in a directory of all users may be somebody's link: a new file replaces it.
    const draft = `${this.#path}.${newId("draft")}`;
    try {
      writeFileSync(draft, JSON.stringify([...this.#results]), { flag: "wx", mode: 0o600 });
      renameSync(draft, this.#path);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}

const nameOf = (address: string | null, receiver: string): string => `${address ?? ""} ${receiver}`;

const pathOfUser = (): string => join(tmpdir(), `postrider-preflight-${process.getuid?.() ?? 0}.json`);

function readResults(path: string): [string, EarlierResult][] {
  try {
    const file = lstatSync(path);
    if (!file.isFile() || file.uid !== process.getuid?.() || file.size > OCTETS_MAX) return [];
    const stored = JSON.parse(readFileSync(path, "utf8")) as [string, EarlierResult][];
    return stored.filter(([name, result]) => typeof name === "string" && Number.isFinite(result.earlierAtMs));
  } catch {
    return [];
  }
}
