/**
 * What this node has done lately, kept in memory: the messages that it has accepted, and the recipients whose final result it has
 * stored. After a failover that lost transactions it says which of them the database has lost. Bounded, in arrays of numbers: it is
 * written for each message.
 */

/** About a minute of the rate of one node. */
const ENTRIES_MAX = 65_536;

/** A recipient that may have got its message. */
export interface Finished {
  seq: number;
  position: number;
  /** How many attempts were settled, with this one. */
  attempts: number;
}

export interface RecentMessage {
  seq: number;
  id: string;
}

export class RecentWork {
  readonly #max: number;
  /** Null for those that are forgotten. */
  readonly #ids: (string | null)[] = [];
  readonly #accepted: Float64Array;
  #acceptedCount = 0;
  readonly #seqs: Float64Array;
  readonly #positions: Float64Array;
  readonly #attempts: Float64Array;
  readonly #times: Float64Array;
  #finishedCount = 0;

  constructor(max = ENTRIES_MAX) {
    this.#max = max;
    this.#accepted = new Float64Array(max);
    this.#seqs = new Float64Array(max);
    this.#positions = new Float64Array(max);
    this.#attempts = new Float64Array(max);
    this.#times = new Float64Array(max);
  }

  accepted(seq: number, id: string): void {
    const at = this.#acceptedCount++ % this.#max;
    this.#accepted[at] = seq;
    this.#ids[at] = id;
  }

  /** The recipient was delivered, or is unknown. */
  finished(seq: number, position: number, attempts: number, atMs: number): void {
    const at = this.#finishedCount++ % this.#max;
    this.#seqs[at] = seq;
    this.#positions[at] = position;
    this.#attempts[at] = attempts;
    this.#times[at] = atMs;
  }

  /** Messages that are lost and reported: the next failover has not lost them. */
  forget(ids: readonly string[]): void {
    const lost = new Set<string | null>(ids);
    for (const [at, id] of this.#ids.entries()) if (lost.has(id)) this.#ids[at] = null;
  }

  /** The oldest first within some thousands. */
  get messages(): RecentMessage[] {
    return this.#ids.flatMap((id, at) => (id === null ? [] : { id, seq: this.#accepted[at] as number }));
  }

  get recipients(): Finished[] {
    const count = Math.min(this.#finishedCount, this.#max);
    return Array.from({ length: count }, (_, at) => ({
      seq: this.#seqs[at] as number,
      position: this.#positions[at] as number,
      attempts: this.#attempts[at] as number,
    }));
  }

  /** The moment from which on all finished recipients are known; null if none was forgotten. */
  get completeSinceMs(): number | null {
    if (this.#finishedCount <= this.#max) return null;
    return this.#times[this.#finishedCount % this.#max] as number;
  }
}
