/**
 * Messages just accepted, kept for the first attempt, which mostly follows at once: their content need not be read
 * back from the file. Bounded; what falls out is simply read.
 */

const BYTES_MAX = 24 * 1024 * 1024;

export class RecentContents {
  #contents = new Map<string, Buffer>();
  #sizeBytes = 0;

  put(messageId: string, content: Buffer): void {
    if (content.length > BYTES_MAX / 4) return;
    this.#contents.set(messageId, content);
    this.#sizeBytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#sizeBytes <= BYTES_MAX) break;
      this.#contents.delete(oldest);
      this.#sizeBytes -= length;
    }
  }

  /** Once: later attempts come minutes later and read the file. */
  take(messageId: string): Buffer | null {
    const content = this.#contents.get(messageId);
    if (content === undefined) return null;
    this.#contents.delete(messageId);
    this.#sizeBytes -= content.length;
    return content;
  }
}
