/**
 * Adds addresses to the suppression list of an account: a few that somebody names, or the rows of an import. An address that is not
 * valid is counted and named, and keeps no other from being added.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { parseMailbox } from "../../message/address.ts";
import { refusalKey, type SetCause } from "../../message/result/suppression.ts";
import type { AddedSuppressions, NewSuppression, Suppressions } from "../../spool/port/suppressions.ts";
import type { ImportedRow } from "./import-reader.ts";
import { ImportError, ImportReader } from "./import-reader.ts";

/** Addresses of one call. */
export const ENTRIES_MAX = 10_000;

/** Invalid addresses that a result names. */
const FAULTS_NAMED = 20;
/** Characters of an invalid address that a result shows. */
const FAULT_EMAIL_LENGTH = 100;

/** Rows of one transaction. One of 500 makes a message wait three times as long: the thread that writes is preempted within it. */
const BATCH_ROWS = 250;
/** Rows that are sorted by their addresses before they are added, so that a transaction changes neighbouring pages of the store. */
const SORTED_ROWS = 20 * BATCH_ROWS;
/** After each transaction, writes of messages have the store for as long as it took, within these bounds. */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [5, 10];

export interface SuppressionEntry {
  email: string;
  /** That of the request if absent. */
  cause?: SetCause;
  /** When the address was suppressed, at the latest now; now if absent. */
  sinceMs?: number;
  /** That of the request if absent. Null: until it is removed. */
  untilMs?: number | null;
}

export interface AddRequest {
  accountId: string;
  /** At most ENTRIES_MAX. */
  entries: readonly (string | SuppressionEntry)[];
  /** `manual` if absent. */
  cause?: SetCause;
  /** Later than now; null, as if absent: until it is removed. */
  untilMs?: number | null;
  nowMs: number;
}

export interface AddFault {
  /** The position of an entry from 0, or the line of a file from 1. */
  at: number;
  email: string;
  /** A sentence. */
  detail: string;
}

export interface AddResult extends AddedSuppressions {
  invalid: number;
  /** The first invalid ones. */
  faults: AddFault[];
}

/** Throws RangeError for more entries than ENTRIES_MAX. */
export async function addSuppressions(
  store: Pick<Suppressions, "addSuppressions">,
  request: AddRequest,
): Promise<AddResult> {
  const { entries, accountId, cause = "manual", untilMs = null, nowMs } = request;
  if (entries.length > ENTRIES_MAX) throw new RangeError(`more than ${ENTRIES_MAX} addresses`);
  const additions = new Additions(store, { accountId, nowMs });
  for (const [at, given] of entries.entries()) {
    const entry = typeof given === "string" ? { email: given } : given;
    await additions.add(at, { cause, untilMs, ...entry });
  }
  return additions.end();
}

export interface ImportRequest {
  accountId: string;
  /** Instead of the causes in the file. */
  cause?: SetCause;
  /** Instead of the ends in the file. */
  untilMs?: number | null;
  nowMs: number;
  /** Reads and counts, and adds nothing. */
  isDryRun?: boolean;
}

export interface ImportResult extends AddResult {
  /** The recognised form of the file; null for an empty one. */
  format: string | null;
  /** Valid addresses by their cause. */
  causes: Partial<Record<SetCause, number>>;
  /** Why the rest of the file was not read; null if all of it was. */
  stopped: string | null;
}

/** Adds the addresses of a file. `chunks` are its octets. */
export async function importSuppressions(
  store: Pick<Suppressions, "addSuppressions">,
  chunks: AsyncIterable<Uint8Array>,
  { accountId, cause, untilMs, nowMs, isDryRun = false }: ImportRequest,
): Promise<ImportResult> {
  const reader = new ImportReader();
  const additions = new Additions(isDryRun ? null : store, { accountId, nowMs });
  const override = { ...(cause === undefined ? {} : { cause }), ...(untilMs === undefined ? {} : { untilMs }) };
  const addRows = async (rows: Iterable<ImportedRow>): Promise<void> => {
    for (const row of rows) {
      if (row.fault !== undefined) additions.reject({ at: row.line, email: row.email, detail: row.fault });
      else await additions.add(row.line, { ...importedEntry(row.entry), ...override });
    }
  };
  let stopped: string | null = null;
  try {
    for await (const chunk of chunks) {
      await addRows(reader.push(chunk));
      // Chunks that are there already would keep everything else waiting.
      await setImmediate();
    }
    await addRows(reader.end());
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    stopped = error.message;
  }
  return { ...(await additions.end()), format: reader.format, causes: additions.causes, stopped };
}

function importedEntry({ email, cause, sinceMs, untilMs }: NonNullable<ImportedRow["entry"]>): SuppressionEntry {
  return { email, cause: cause ?? "manual", untilMs, ...(sinceMs === null ? {} : { sinceMs }) };
}

/** Checks addresses, and adds them in transactions of bounded size, with pauses between them. */
class Additions {
  readonly #store: Pick<Suppressions, "addSuppressions"> | null;
  readonly #of: { accountId: string; nowMs: number };
  readonly #result: AddResult = { added: 0, changed: 0, already: 0, invalid: 0, faults: [] };
  readonly causes: Partial<Record<SetCause, number>> = {};
  #rows: NewSuppression[] = [];
  #pauseMs = 0;

  /** Without a store, nothing is added. */
  constructor(store: Pick<Suppressions, "addSuppressions"> | null, of: { accountId: string; nowMs: number }) {
    this.#store = store;
    this.#of = of;
  }

  async add(at: number, { email, cause = "manual", sinceMs, untilMs = null }: SuppressionEntry): Promise<void> {
    const { nowMs } = this.#of;
    const mailbox = parseMailbox(email);
    const isPast = untilMs !== null && untilMs <= nowMs;
    if (mailbox.type === "invalid" || isPast) {
      this.reject({ at, email, detail: mailbox.type === "invalid" ? mailbox.detail : "The end has passed." });
      return;
    }
    const address = refusalKey(mailbox.address, mailbox.domain);
    this.causes[cause] = (this.causes[cause] ?? 0) + 1;
    this.#rows.push({ address, cause, untilMs, atMs: Math.max(0, Math.min(sinceMs ?? nowMs, nowMs)) });
    if (this.#rows.length === SORTED_ROWS) await this.#flush();
  }

  reject({ at, email, detail }: AddFault): void {
    this.#result.invalid += 1;
    if (this.#result.faults.length === FAULTS_NAMED) return;
    this.#result.faults.push({ at, email: [...email].slice(0, FAULT_EMAIL_LENGTH).join(""), detail });
  }

  async end(): Promise<AddResult> {
    await this.#flush();
    return this.#result;
  }

  async #flush(): Promise<void> {
    const rows = this.#rows.toSorted((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
    this.#rows = [];
    for (let from = 0; from < rows.length; from += BATCH_ROWS)
      await this.#addBatch(rows.slice(from, from + BATCH_ROWS));
  }

  async #addBatch(suppressions: readonly NewSuppression[]): Promise<void> {
    if (this.#store === null) return;
    if (this.#pauseMs > 0) await sleep(this.#pauseMs);
    const startedMs = performance.now();
    const counts = await this.#store.addSuppressions({ ...this.#of, suppressions });
    this.#pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, performance.now() - startedMs));
    for (const name of ["added", "changed", "already"] as const) this.#result[name] += counts[name];
  }
}
