/**
 * The rows of a DMARC report, which are limited in number: equal ones are added up, then those of a source that differ in details,
 * then all others.
 */

export type Disposition = "none" | "quarantine" | "reject";

/** Messages of one source with the same results. */
export interface DmarcRow {
  /** As the report has it, in lower case. */
  ip: string;
  messages: number;
  /** What the receiver did with them. */
  disposition: Disposition;
  /** Whether a signature verified that is aligned with the From domain. */
  dkim: boolean;
  /** Whether SPF passed for an aligned domain. */
  spf: boolean;
  /** The From domain; empty if unknown, or of rows that were added up. */
  headerFrom: string;
  /** Signatures that verified; empty for rows that were added up. */
  signatures: readonly Signature[];
}

export interface Signature {
  domain: string;
  /** Empty if the report has none. */
  selector: string;
}

/** Messages of further rows. */
export interface OmittedRows {
  messages: number;
  /** Those that failed DMARC. */
  failed: number;
}

/** Rows that keep their details. */
export const DETAILED_ROWS_MAX = 500;
export const ROWS_MAX = 1000;

/** Whether the messages passed DMARC: either result is enough (RFC 9989 §4.1). */
export const passedDmarc = ({ dkim, spf }: Pick<DmarcRow, "dkim" | "spf">): boolean => dkim || spf;

export class DmarcRows {
  readonly #rows = new Map<string, DmarcRow>();
  readonly #omitted: OmittedRows = { messages: 0, failed: 0 };

  add(row: DmarcRow): void {
    if (!this.#addTo(row, DETAILED_ROWS_MAX) && !this.#addTo({ ...row, headerFrom: "", signatures: [] }, ROWS_MAX)) {
      this.#omitted.messages += row.messages;
      if (!passedDmarc(row)) this.#omitted.failed += row.messages;
    }
  }

  /** The rows with the most messages first. */
  result(): { rows: DmarcRow[]; omitted: OmittedRows } {
    const rows = [...this.#rows.values()].sort((one, other) => other.messages - one.messages);
    return { rows, omitted: this.#omitted };
  }

  /** Returns false if the row is new, and there are `rowsMax` already. */
  #addTo(row: DmarcRow, rowsMax: number): boolean {
    const { messages, ...rest } = row;
    const key = JSON.stringify(rest);
    const found = this.#rows.get(key);
    if (found === undefined && this.#rows.size >= rowsMax) return false;
    if (found === undefined) this.#rows.set(key, { ...row });
    else found.messages += messages;
    return true;
  }
}
