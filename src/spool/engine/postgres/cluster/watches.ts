/**
 * Calls those that wait for results of a message: at once for results that this node stores, and by polling for those of others.
 * A message's newest event tells whether it has changed.
 */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";

/** Messages in one statement. */
const POLLED_MAX = 1000;

interface Watched {
  /** Null until it was looked up. */
  seq: number | null;
  /** The number of the newest event of a recipient seen; null if there was none. */
  number: number | null;
  listeners: Set<() => void>;
}

const findSeqs = statement<{ id: string; seq: number }>("SELECT id, seq FROM messages WHERE id = ANY ($1)");
const findNewest = statement<{ seq: number; number: number | null }>(
  `SELECT w.seq, (SELECT max(number) FROM events e WHERE e.seq = w.seq AND position IS NOT NULL) AS number
     FROM unnest($1::bigint[]) AS w (seq)`,
);

export class Watches {
  readonly #database: Database;
  readonly #watched = new Map<string, Watched>();
  #isPolling = false;
  /** Something may have changed since the poll under way began. */
  #isStale = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** As Results.watch. */
  watch(messageId: string, changed: () => void): () => void {
    const watched = this.#watched.get(messageId) ?? { seq: null, number: null, listeners: new Set() };
    this.#watched.set(messageId, watched);
    watched.listeners.add(changed);
    return () => {
      watched.listeners.delete(changed);
      if (watched.listeners.size === 0 && this.#watched.get(messageId) === watched) this.#watched.delete(messageId);
    };
  }

  /** This node has stored a result of the message. */
  changed(messageId: string): void {
    for (const listener of this.#watched.get(messageId)?.listeners ?? []) listener();
  }

  /** Looks for results that other nodes have stored. Calls during a poll lead to one more. */
  async poll(): Promise<void> {
    this.#isStale = true;
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const watched = [...this.#watched];
        for (let i = 0; i < watched.length; i += POLLED_MAX) await this.#poll(watched.slice(i, i + POLLED_MAX));
      }
    } finally {
      this.#isPolling = false;
    }
  }

  async #poll(polled: [messageId: string, watched: Watched][]): Promise<void> {
    const unknown = polled.filter(([, { seq }]) => seq === null).map(([messageId]) => messageId);
    if (unknown.length > 0) {
      for (const { id, seq } of (await this.#database.run(findSeqs, [unknown])).rows) {
        const watched = this.#watched.get(id);
        if (watched !== undefined) watched.seq = seq;
      }
    }
    const bySeq = new Map(polled.flatMap(([messageId, { seq }]) => (seq === null ? [] : [[seq, messageId] as const])));
    if (bySeq.size === 0) return;
    for (const { seq, number } of (await this.#database.run(findNewest, [[...bySeq.keys()]])).rows) {
      this.#seen(bySeq.get(seq) ?? "", number);
    }
  }

  /** An event at the first look counts as a change: it may have been stored after the caller has read the message. */
  #seen(messageId: string, number: number | null): void {
    const watched = this.#watched.get(messageId);
    if (watched === undefined || number === null || watched.number === number) return;
    watched.number = number;
    for (const listener of watched.listeners) listener();
  }
}
