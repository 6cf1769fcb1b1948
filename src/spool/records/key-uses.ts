/**
 * When API keys were used last, until it is written: at most one write a second for all keys. Each form of the spool decides how
 * it is written.
 */

/** How long the use of a key may wait to be written. */
const DELAY_MS = 1000;

export type KeyUse = [keyId: string, atMs: number];

export class KeyUses {
  readonly #write: (uses: KeyUse[]) => Promise<void>;
  #lastMs = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #isWriting = false;

  constructor(write: (uses: KeyUse[]) => Promise<void>) {
    this.#write = write;
  }

  /** Records the use of a key. */
  add(keyId: string, atMs: number): void {
    this.#lastMs.set(keyId, atMs);
    this.#writeLater();
  }

  /** Writes what waits, before it returns. If that fails, the times are lost until the keys are used again. */
  async writeNow(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lastMs.size === 0) return;
    const uses = [...this.#lastMs];
    this.#lastMs = new Map();
    this.#isWriting = true;
    await this.#write(uses).catch(() => {});
    this.#isWriting = false;
    this.#writeLater();
  }

  /** A slow write delays the next one. */
  #writeLater(): void {
    if (this.#timer !== null || this.#isWriting || this.#lastMs.size === 0) return;
    this.#timer = setTimeout(() => void this.writeNow(), DELAY_MS);
    this.#timer.unref();
  }
}
