/** The certificate that the service has obtained, in memory for the listeners: each node reads it from the spool again and again. */
import type { Clock } from "../lib/clock.ts";
import { errorText } from "../lib/error-text.ts";
import type { Logger } from "../lib/log.ts";
import type { CertificatePair } from "../security/certificate-pair.ts";
import { openCertificate, type SealedParts, sealedCertificate } from "./sealed-entries.ts";

export interface ObtainedParts extends SealedParts {
  clock: Clock;
  log: Pick<Logger, "warn">;
}

const READ_INTERVAL_MS = 10_000;

export class ObtainedCertificate {
  readonly #parts: ObtainedParts;
  #sealed: Buffer | null = null;
  #pair: CertificatePair | null = null;
  #isStopped = false;
  #cancel = (): void => {};

  constructor(parts: ObtainedParts) {
    this.#parts = parts;
  }

  /** Null before the first one. */
  get pair(): CertificatePair | null {
    return this.#pair;
  }

  /** Resolves after the first reading. */
  async start(): Promise<void> {
    await this.read().catch((error: unknown) =>
      this.#parts.log.warn({ error: errorText(error) }, "the certificate could not be read from the spool"),
    );
    if (!this.#isStopped) this.#cancel = this.#parts.clock.after(READ_INTERVAL_MS, () => void this.start());
  }

  /** Reads it now. Rejects with SpoolUnavailable; the listeners keep the one that they have. */
  async read(): Promise<void> {
    const sealed = await sealedCertificate(this.#parts.store);
    if (sealed === null || (this.#sealed !== null && sealed.equals(this.#sealed))) return;
    const stored = openCertificate(this.#parts.vault, sealed);
    this.#sealed = sealed;
    if (stored !== null) this.#pair = { cert: stored.cert, key: stored.key };
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }
}
