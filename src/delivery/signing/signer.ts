/**
 * DKIM signatures from worker threads: an RSA signature is the most expensive step of a message, so it must not block the
 * event loop. Each thread gets a domain's key once and keeps it parsed. message/dkim.ts decides what is signed and how.
 *
 * One thread serves until it falls behind. On a host with more cores it may get help, because one core signs a few thousand messages a
 * second at most, and fewer than the main thread accepts and delivers where the CPU is slow at RSA.
 */

import { availableParallelism } from "node:os";
import { HighChurnMap } from "../../lib/high-churn-map.ts";
import { SlabBuffer } from "../../lib/slab-buffer.ts";
import { MIB } from "../../lib/units.ts";
import type { SignInput } from "../../message/content.ts";
import type { SigningKey } from "../../message/dkim.ts";
import { dkimSealName, type Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { SealedSigningKey } from "../../spool/port/domains.ts";
import { type OpenedKey, SignerClient } from "./signer-client.ts";

export interface UnsignedMessage {
  messageId: string;
  domainId: string;
  input: SignInput;
}

export interface Signer {
  /** The DKIM-Signature header fields for this message, each with its CRLF. Rejects when the key cannot be read. */
  sign(message: UnsignedMessage): Promise<Buffer>;
  /**
   * Signs a message that `sign` may be called for later, if fewer than `pendingMax` requests wait for a thread. Returns at once;
   * errors are dropped, and a later `sign` tries again.
   */
  signAhead(message: UnsignedMessage, pendingMax: number): void;
  close(): Promise<void>;
}

/**
 * Signatures made ahead that are kept: 0.7 KB for each message, 1.4 KB with the host's. They are keyed by message, because its
 * content may be dropped and read again meanwhile: of 10,000 messages of a burst, a third were signed twice when a signature was
 * kept with its content.
 */
const AHEAD_BYTES_MAX = 8 * MIB;

/** Two cores are left for the threads that accept, store and deliver. */
const THREADS_MAX = Math.max(1, Math.min(4, availableParallelism() - 2));

/** Another thread is started when this many requests wait for each one: 10 to 30 ms of work. */
const BUSY_PENDING = 32;

export interface SignerParts {
  registry: Pick<Registry, "signingKey" | "successorKey">;
  vault: Pick<Vault, "open">;
  /** Signs every message of another domain too. */
  hostKey?: SigningKey | null;
  /** Called if a thread dies. */
  onFatal: (error: Error) => void;
  /** THREADS_MAX by default. */
  threadsMax?: number;
}

/** Starts the first thread at once. */
export class ThreadSigner implements Signer {
  readonly #parts: SignerParts;
  readonly #threads: SignerClient[];
  /** A further thread, until it has loaded. */
  #starting: SignerClient | null = null;
  #threadsMax: number;
  /** Signatures ahead that no thread has made yet, and those that are made. */
  readonly #signingAhead = new HighChurnMap<string, Promise<string>>();
  readonly #signedAhead = new SlabBuffer(AHEAD_BYTES_MAX);

  constructor(parts: SignerParts) {
    this.#parts = parts;
    this.#threadsMax = parts.threadsMax ?? THREADS_MAX;
    this.#threads = [this.#newThread(parts.onFatal)];
  }

  async sign(message: UnsignedMessage): Promise<Buffer> {
    const { messageId } = message;
    const signed = this.#signedAhead.take(messageId);
    return signed ?? bytesOf(await (this.#signingAhead.take(messageId) ?? this.#request(message)));
  }

  signAhead(message: UnsignedMessage, pendingMax: number): void {
    if (this.#leastBusy().pending >= pendingMax) return;
    const { messageId } = message;
    const signature = this.#request(message);
    this.#signingAhead.set(messageId, signature);
    signature.then(
      (header) => {
        if (this.#signingAhead.take(messageId) !== undefined) this.#signedAhead.put(messageId, bytesOf(header));
      },
      // A `sign` that has taken the promise gets the error; a later one requests the signature again.
      () => void this.#signingAhead.take(messageId),
    );
  }

  async close(): Promise<void> {
    this.#threadsMax = 0;
    await Promise.all([...this.#threads, this.#starting].map((thread) => thread?.close()));
  }

  #request({ domainId, input }: UnsignedMessage): Promise<string> {
    const thread = this.#leastBusy();
    if (thread.pending >= BUSY_PENDING) this.#startAnother();
    return thread.sign(domainId, input);
  }

  #leastBusy(): SignerClient {
    return this.#threads.reduce((least, thread) => (thread.pending < least.pending ? thread : least));
  }

  #newThread(onEnd: (error: Error) => void): SignerClient {
    return new SignerClient(this.#openKey, this.#parts.hostKey ?? null, onEnd);
  }

  /** Starts another thread, which serves once it has loaded, unless there are enough or the host has no resources for it. */
  #startAnother(): void {
    if (this.#starting !== null || this.#threads.length >= this.#threadsMax) return;
    try {
      const thread = this.#newThread((error) => {
        if (this.#threads.includes(thread)) this.#parts.onFatal(error);
        else this.#doWithout();
      });
      thread.onLoaded(() => {
        this.#starting = null;
        this.#threads.push(thread);
      });
      this.#starting = thread;
    } catch {
      this.#doWithout();
    }
  }

  #doWithout(): void {
    this.#starting = null;
    this.#threadsMax = this.#threads.length;
  }

  /** The row's own key. If it does not open because its master key is lost, the domain's current key. */
  readonly #openKey = async (domainId: string): Promise<OpenedKey> => {
    const { registry } = this.#parts;
    const own = await registry.signingKey(domainId);
    try {
      return this.#open(own);
    } catch (error) {
      const successor = await registry.successorKey(domainId);
      if (successor === null) throw error;
      return this.#open(successor);
    }
  };

  #open({ domain, selector, sealedPrivateKey }: SealedSigningKey): OpenedKey {
    const privateKeyPem = this.#parts.vault.open(dkimSealName(domain, selector), sealedPrivateKey);
    return { domain, selector, privateKeyPem };
  }
}

const bytesOf = (header: string): Buffer => Buffer.from(header, "latin1");
