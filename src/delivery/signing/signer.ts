/**
 * Signing off the event loop: RSA is the costliest step of a message, so a thread does it. Keys are opened once and
 * kept parsed in the thread.
 */
import type { Worker } from "node:worker_threads";
import { HighChurnMap } from "../../lib/high-churn-map.ts";
import { SlabBuffer } from "../../lib/slab-buffer.ts";
import { startThread } from "../../lib/thread.ts";
import { dkimSealName, type Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { SealedSigningKey } from "../../spool/port/domains.ts";
import type { FromSigner, SignRequest, ToSigner } from "./signer-thread.ts";

export interface Unsigned {
  messageId: string;
  domainId: string;
  content: Buffer;
}

export interface Signer {
  /** The DKIM-Signature header field for this message, with its CRLF. Rejects when the key cannot be had. */
  sign(message: Unsigned): Promise<Buffer>;
  /** Has the thread sign what `sign` may be asked for, if fewer than `most` wait for it. */
  signAhead(message: Unsigned, most: number): void;
  close(): Promise<void>;
}

/**
 * Signatures made ahead that are kept, 0.7 KB each. By message, for its content may be dropped and read again meanwhile: of
 * 10,000 messages of a burst, a third were signed twice when a signature went with its content.
 */
const AHEAD_BYTES_MAX = 8 * 1024 * 1024;

type OpenedKey = Pick<Extract<SignRequest, { type: "key" }>, "domain" | "selector" | "privateKeyPem">;

interface Waiting {
  resolve: (header: string) => void;
  reject: (error: Error) => void;
}

/** `onFatal` is called if the thread dies. */
export function startSigner(registry: Registry, vault: Vault, onFatal: (error: Error) => void): Signer {
  const worker: Worker = startThread(new URL("./signer-thread.ts", import.meta.url), null);
  /** In the order in which they asked, which is the order of the replies. */
  const waiting: Waiting[] = [];
  /** Asked for ahead, and made ahead. */
  const coming = new HighChurnMap<string, Promise<string>>();
  const made = new SlabBuffer(AHEAD_BYTES_MAX);
  const taught = new Map<string, Promise<void>>();
  let unsent: ToSigner = [];

  function post(request: SignRequest): void {
    if (unsent.push(request) > 1) return;
    setImmediate(() => {
      worker.postMessage(unsent);
      unsent = [];
    });
  }

  worker.on("message", (replies: FromSigner) => {
    const answered = waiting.splice(0, replies.length);
    for (const [i, { resolve, reject }] of answered.entries()) {
      const { header, error } = replies[i] ?? {};
      if (header === undefined) reject(new Error(error));
      else resolve(header);
    }
  });
  worker.on("error", (error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
    onFatal(error);
  });

  async function teach(domainId: string): Promise<void> {
    const key = await openKey(domainId);
    post({ type: "key", domainId, ...key });
  }

  /** The row's own key. If it does not open because its master key is lost, the domain's present key. */
  async function openKey(domainId: string): Promise<OpenedKey> {
    const own = await registry.signingKey(domainId);
    try {
      return opened(own);
    } catch (error) {
      const successor = await registry.successorKey(domainId);
      if (successor === null) throw error;
      return opened(successor);
    }
  }

  function opened({ domain, selector, sealedPrivateKey }: SealedSigningKey): OpenedKey {
    return { domain, selector, privateKeyPem: vault.open(dkimSealName(domain, selector), sealedPrivateKey) };
  }

  function teachOnce(domainId: string): Promise<void> {
    const known = taught.get(domainId);
    if (known !== undefined) return known;
    const teaching = teach(domainId);
    taught.set(domainId, teaching);
    // A key that could not be read now may be readable at the next attempt.
    teaching.catch(() => taught.delete(domainId));
    return teaching;
  }

  async function ask({ domainId, content }: Unsigned): Promise<string> {
    await teachOnce(domainId);
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      post({ type: "sign", domainId, content });
    });
  }

  return {
    async sign(message) {
      const { messageId } = message;
      return made.take(messageId) ?? bytesOf(await (coming.take(messageId) ?? ask(message)));
    },
    signAhead(message, most) {
      if (waiting.length >= most) return;
      const { messageId } = message;
      const signature = ask(message);
      coming.set(messageId, signature);
      signature.then(
        (header) => {
          if (coming.take(messageId) !== undefined) made.put(messageId, bytesOf(header));
        },
        // Who takes it is told; who comes later asks again.
        () => void coming.take(messageId),
      );
    },
    async close() {
      await worker.terminate();
    },
  };
}

const bytesOf = (header: string): Buffer => Buffer.from(header, "latin1");
