/**
 * Messages just accepted, kept for the first attempt, which mostly follows at once: their content need not be read
 * back from the file. Bounded; what falls out is simply read.
 */
import { PassingMap } from "../../passing-map.ts";

const BYTES_MAX = 24 * 1024 * 1024;

export class RecentContents {
  readonly #contents = new PassingMap<string, Buffer>();
  #sizeBytes = 0;

  put(messageId: string, content: Buffer): void {
    if (content.length > BYTES_MAX / 4) return;
    // So that what is counted is what is here, and the loop below comes to an end.
    this.take(messageId);
    this.#contents.set(messageId, content);
    this.#sizeBytes += content.length;
    while (this.#sizeBytes > BYTES_MAX) this.#sizeBytes -= this.#contents.takeOldest()?.length ?? 0;
  }

  /** Once: later attempts come minutes later and read the file. */
  take(messageId: string): Buffer | null {
    const content = this.#contents.take(messageId);
    if (content === undefined) return null;
    this.#sizeBytes -= content.length;
    return content;
  }
}
