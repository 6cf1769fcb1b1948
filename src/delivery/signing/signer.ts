/**
 * DKIM signatures from a worker thread: an RSA signature is the most expensive step of a message, so it must not block the
 * event loop. Opens each domain's key once; the thread keeps it parsed. message/dkim.ts decides what is signed and how.
 */

import type { Worker } from "node:worker_threads";
import { HighChurnMap } from "../../lib/high-churn-map.ts";
import { SlabBuffer } from "../../lib/slab-buffer.ts";
import { startThread } from "../../lib/thread.ts";
import { MIB } from "../../lib/units.ts";
import type { SignInput } from "../../message/content.ts";
import { dkimSealName, type Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { SealedSigningKey } from "../../spool/port/domains.ts";
import type { FromSigner, SignRequest, ToSigner } from "./signer-thread.ts";

export interface UnsignedMessage {
  messageId: string;
  domainId: string;
  input: SignInput;
}

export interface Signer {
  /** The DKIM-Signature header field for this message, with its CRLF. Rejects when the key cannot be read. */
  sign(message: UnsignedMessage): Promise<Buffer>;
  /**
   * Signs a message that `sign` may be called for later, if fewer than `pendingMax` requests wait for the thread. Returns at once;
   * errors are dropped, and a later `sign` tries again.
   */
  signAhead(message: UnsignedMessage, pendingMax: number): void;
  close(): Promise<void>;
}

/**
 * Signatures made ahead that are kept, 0.7 KB each. They are keyed by message, because its content may be dropped and read again
 * meanwhile: of 10,000 messages of a burst, a third were signed twice when a signature was kept with its content.
 */
const AHEAD_BYTES_MAX = 8 * MIB;

type OpenedKey = Pick<Extract<SignRequest, { type: "key" }>, "domain" | "selector" | "privateKeyPem">;

interface PendingSignature {
  resolve: (header: string) => void;
  reject: (error: Error) => void;
}

export interface SignerParts {
  registry: Pick<Registry, "signingKey" | "successorKey">;
  vault: Pick<Vault, "open">;
  /** Called if the thread dies. */
  onFatal: (error: Error) => void;
}

/** Starts the thread at once. */
export class ThreadSigner implements Signer {
  readonly #parts: SignerParts;
  readonly #thread: Worker = startThread(new URL("./signer-thread.ts", import.meta.url), null);
  /** In the order of the requests, which is the order of the replies. */
  readonly #pending: PendingSignature[] = [];
  /** Signatures ahead that the thread has not made yet, and those that it has. */
  readonly #signingAhead = new HighChurnMap<string, Promise<string>>();
  readonly #signedAhead = new SlabBuffer(AHEAD_BYTES_MAX);
  /** By domain id: settled once the thread has the key. */
  readonly #keys = new Map<string, Promise<void>>();
  #unsent: ToSigner = [];

  constructor(parts: SignerParts) {
    this.#parts = parts;
    this.#thread.on("message", (replies: FromSigner) => this.#receive(replies));
    this.#thread.on("error", (error) => {
      for (const { reject } of this.#pending.splice(0)) reject(error);
      parts.onFatal(error);
    });
  }

  async sign(message: UnsignedMessage): Promise<Buffer> {
    const { messageId } = message;
    const signed = this.#signedAhead.take(messageId);
    return signed ?? bytesOf(await (this.#signingAhead.take(messageId) ?? this.#request(message)));
  }

  signAhead(message: UnsignedMessage, pendingMax: number): void {
    if (this.#pending.length >= pendingMax) return;
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
    await this.#thread.terminate();
  }

  async #request({ domainId, input }: UnsignedMessage): Promise<string> {
    await this.#sendKeyOnce(domainId);
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#post({ type: "sign", domainId, input });
    });
  }

  #sendKeyOnce(domainId: string): Promise<void> {
    const known = this.#keys.get(domainId);
    if (known !== undefined) return known;
    const sent = this.#sendKey(domainId);
    this.#keys.set(domainId, sent);
    // A key that cannot be read now may be readable at the next attempt.
    sent.catch(() => this.#keys.delete(domainId));
    return sent;
  }

  async #sendKey(domainId: string): Promise<void> {
    const key = await this.#openKey(domainId);
    this.#post({ type: "key", domainId, ...key });
  }

  /** The row's own key. If it does not open because its master key is lost, the domain's current key. */
  async #openKey(domainId: string): Promise<OpenedKey> {
    const { registry } = this.#parts;
    const own = await registry.signingKey(domainId);
    try {
      return this.#open(own);
    } catch (error) {
      const successor = await registry.successorKey(domainId);
      if (successor === null) throw error;
      return this.#open(successor);
    }
  }

  #open({ domain, selector, sealedPrivateKey }: SealedSigningKey): OpenedKey {
    const privateKeyPem = this.#parts.vault.open(dkimSealName(domain, selector), sealedPrivateKey);
    return { domain, selector, privateKeyPem };
  }

  /** Sends the requests of one event loop iteration together: a message between threads costs as much as a small signature. */
  #post(request: SignRequest): void {
    if (this.#unsent.push(request) > 1) return;
    setImmediate(() => {
      this.#thread.postMessage(this.#unsent);
      this.#unsent = [];
    });
  }

  #receive(replies: FromSigner): void {
    const answered = this.#pending.splice(0, replies.length);
    for (const [i, { resolve, reject }] of answered.entries()) {
      const { header, error } = replies[i] ?? {};
      if (header === undefined) reject(new Error(error));
      else resolve(header);
    }
  }
}

const bytesOf = (header: string): Buffer => Buffer.from(header, "latin1");
