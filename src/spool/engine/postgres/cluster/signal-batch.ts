/**
 * What the nodes signal to each other, and its form in the payload of a NOTIFY. A batch says that something may have changed: it
 * never says less than what was added to it, and may say more.
 */

/**
 * `due`: mail may be due. `events`: accounts with new events, so that their messages may have new results. `changed`: pauses or
 * webhook endpoints were changed.
 */
export const SIGNAL_KINDS = ["due", "events", "changed"] as const;

export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** What a signal names; "any" if it may be everything. */
export type Names = ReadonlySet<string> | "any";

/** Beyond this many names of one kind, a batch says "any". */
const NAMES_MAX = 100;

/** PostgreSQL's limit is 8000 bytes, exclusive. */
const PAYLOAD_MAX_BYTES = 7999;

export class SignalBatch {
  readonly #names = new Map<SignalKind, Set<string> | "any">();

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  add(kind: SignalKind, names: Iterable<string> | "any"): void {
    const known = this.#names.get(kind) ?? new Set();
    if (known === "any") return;
    for (const name of names === "any" ? [] : names) known.add(name);
    this.#names.set(kind, names === "any" || known.size > NAMES_MAX ? "any" : known);
  }

  /** Adds another batch, which was not sent. */
  merge(other: SignalBatch): void {
    for (const [kind, names] of other.#names) this.add(kind, names);
  }

  /** The payload of a NOTIFY from this sender. */
  encode(sender: string): string {
    const fields = [...this.#names].map(([kind, names]) => [kind, names === "any" ? names : [...names]]);
    const payload = JSON.stringify({ sender, ...Object.fromEntries(fields) });
    if (Buffer.byteLength(payload) <= PAYLOAD_MAX_BYTES) return payload;
    return JSON.stringify({ sender, ...Object.fromEntries([...this.#names.keys()].map((kind) => [kind, "any"])) });
  }
}

/**
 * Reads a payload. Null for one of this sender, and for one that no node has sent. Kinds of a later version are left out, and a
 * known kind in an unknown form is "any".
 */
export function decodeSignals(payload: string, sender: string): [SignalKind, Names][] | null {
  const fields = parsed(payload);
  if (fields === null || typeof fields.sender !== "string" || fields.sender === sender) return null;
  return SIGNAL_KINDS.filter((kind) => kind in fields).map((kind) => [kind, namesOf(fields[kind])]);
}

function parsed(payload: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function namesOf(value: unknown): Names {
  if (!Array.isArray(value) || value.some((name) => typeof name !== "string")) return "any";
  return new Set(value);
}
