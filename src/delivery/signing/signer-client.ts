/** One of the signer's threads, as the signer sees it: its keys, and the requests that it has not answered. */
import type { Worker } from "node:worker_threads";
import { startThread } from "../../lib/thread.ts";
import type { SignInput } from "../../message/content.ts";
import type { SigningKey } from "../../message/dkim.ts";
import type { FromSigner, KeyRequest, SignRequest, ToSigner } from "./signer-thread.ts";

export type OpenedKey = Omit<KeyRequest, "type" | "domainId">;

interface PendingSignature {
  resolve: (header: string) => void;
  reject: (error: Error) => void;
}

export class SignerClient {
  readonly #thread: Worker;
  /** In the order of the requests, which is the order of the replies. */
  readonly #pending: PendingSignature[] = [];
  /** By domain id: settled once the thread has the key. */
  readonly #keys = new Map<string, Promise<void>>();
  readonly #openKey: (domainId: string) => Promise<OpenedKey>;
  #unsent: ToSigner = [];
  /** Requests that wait for the key. */
  #waitingForKey = 0;

  /**
   * `openKey` returns a domain's key; `hostKey` signs every message too. `onEnd` is called if the thread dies. Throws if the thread
   * cannot be started.
   */
  constructor(
    openKey: (domainId: string) => Promise<OpenedKey>,
    hostKey: SigningKey | null,
    onEnd: (error: Error) => void,
  ) {
    this.#thread = startThread(new URL("./signer-thread.ts", import.meta.url), hostKey);
    this.#openKey = openKey;
    this.#thread.on("message", (replies: FromSigner) => this.#receive(replies));
    this.#thread.on("error", (error) => {
      for (const { reject } of this.#pending.splice(0)) reject(error);
      onEnd(error);
    });
  }

  /** Calls `listener` once the thread has loaded. */
  onLoaded(listener: () => void): void {
    this.#thread.once("message", listener);
  }

  /** Requests without an answer. */
  get pending(): number {
    return this.#pending.length + this.#waitingForKey;
  }

  /** Returns the DKIM-Signature header fields. */
  async sign(domainId: string, input: SignInput): Promise<string> {
    this.#waitingForKey += 1;
    try {
      await this.#sendKeyOnce(domainId);
    } finally {
      this.#waitingForKey -= 1;
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#post({ type: "sign", domainId, input });
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #sendKeyOnce(domainId: string): Promise<void> {
    const known = this.#keys.get(domainId);
    if (known !== undefined) return known;
    const sent = this.#openKey(domainId).then((key) => this.#post({ type: "key", domainId, ...key }));
    this.#keys.set(domainId, sent);
    // A key that cannot be read now may be readable at the next attempt.
    sent.catch(() => this.#keys.delete(domainId));
    return sent;
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
