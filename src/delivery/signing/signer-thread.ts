/**
 * The signing thread: gets keys and contents, answers DKIM-Signature header fields. What is signed and how is
 * message/dkim.ts's.
 */
import { createPrivateKey } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { dkimSignature, type SigningKey } from "../../message/dkim.ts";

export type SignRequest =
  | { type: "key"; domainId: string; domain: string; selector: string; privateKeyPem: string }
  | { type: "sign"; domainId: string; content: Uint8Array };

/** Everything that one turn of the event loop asks for: a message between threads costs as much as a small signature. */
export type ToSigner = SignRequest[];
/** In the order of the requests to sign. */
export type FromSigner = SignReply[];

export interface SignReply {
  /** ASCII. A string: of bytes, all of the pool that they are in would be copied. */
  header?: string;
  error?: string;
}

const keys = new Map<string, SigningKey>();

function signed({ domainId, content }: Extract<SignRequest, { type: "sign" }>): SignReply {
  const key = keys.get(domainId);
  if (key === undefined) return { error: `no signing key for ${domainId}` };
  try {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    return { header: dkimSignature(bytes, key).toString("latin1") };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function answer(request: SignRequest): SignReply[] {
  if (request.type === "sign") return [signed(request)];
  const { domainId, domain, selector, privateKeyPem } = request;
  keys.set(domainId, { domain, selector, privateKey: createPrivateKey(privateKeyPem) });
  return [];
}

reportUncaughtErrors();
parentPort?.on("message", (requests: ToSigner) => {
  parentPort?.postMessage(requests.flatMap(answer) satisfies FromSigner);
});
