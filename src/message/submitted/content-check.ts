/**
 * Checks the octets of a message that a client has built (RFC 5321 §2.3.8, RFC 5322 §2.1.1), as they arrive. Some servers read a
 * bare CR or LF as the end of a line, and what follows as commands (SMTP smuggling), so a message with one is never accepted.
 */

/** Octets of a line without its CRLF. */
const LINE_OCTETS_MAX = 998;

const LF = 0x0a;
const CR = 0x0d;

export class ContentCheck {
  /** Why the message cannot be accepted, as a sentence; null if it can. */
  fault: string | null = null;
  /** Whether an octet of the body is above 127. */
  eightBit = false;
  #line = 1;
  #lineOctets = 0;
  #afterCr = false;
  #inBody = false;

  /** Adds the next octets. Those after a fault are not examined. */
  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.fault === null; at += 1) {
      const fault = this.#take(chunk[at] as number);
      if (fault !== null) this.fault = `Line ${this.#line} ${fault}.`;
    }
  }

  #take(octet: number): string | null {
    if (this.#afterCr) {
      if (octet !== LF) return "has a CR that is not followed by LF";
      this.#endLine();
      return null;
    }
    if (octet === LF) return "has an LF without a CR before it";
    this.#afterCr = octet === CR;
    if (this.#afterCr) return null;
    if (octet === 0) return "has a NUL";
    this.#lineOctets += 1;
    if (octet > 127 && this.#inBody) this.eightBit = true;
    return this.#lineOctets > LINE_OCTETS_MAX ? `is longer than ${LINE_OCTETS_MAX} octets` : null;
  }

  #endLine(): void {
    if (this.#lineOctets === 0) this.#inBody = true;
    this.#afterCr = false;
    this.#lineOctets = 0;
    this.#line += 1;
  }
}
