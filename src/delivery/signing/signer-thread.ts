/**
 * The signing thread: receives keys and the inputs of signatures, replies with DKIM-Signature header fields. message/dkim.ts
 * decides what is signed and how.
 */
import { createPrivateKey } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { type SignInput, unsignedOf } from "../../message/content.ts";
import { dkimSignature, type SigningKey } from "../../message/dkim.ts";

export interface KeyRequest {
  type: "key";
  domainId: string;
  domain: string;
  selector: string;
  privateKeyPem: string;
}

export type SignRequest = KeyRequest | { type: "sign"; domainId: string; input: SignInput };

/** The requests of one event loop iteration. */
export type ToSigner = SignRequest[];
/** One for each request to sign, in their order. The first of all is empty. */
export type FromSigner = SignReply[];

export interface SignReply {
  /** ASCII. A string, because posting a pooled Buffer would copy its whole pool. */
  header?: string;
  error?: string;
}

/** Of the host's own domain, which signs every message beside its sender's; null for none. */
const hostKey = (workerData as { data: SigningKey | null }).data;

/** By domain id. */
const keys = new Map<string, SigningKey[]>();

function sign({ domainId, input }: Extract<SignRequest, { type: "sign" }>): SignReply {
  const own = keys.get(domainId);
  if (own === undefined) return { error: `no signing key for ${domainId}` };
  try {
    return { header: dkimSignature(unsignedOf(input), ...own).toString("latin1") };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function replyTo(request: SignRequest): SignReply[] {
  if (request.type === "sign") return [sign(request)];
  const { domainId, domain, selector, privateKeyPem } = request;
  const key = { domain, selector, privateKey: createPrivateKey(privateKeyPem) };
  keys.set(domainId, hostKey === null || hostKey.domain === domain ? [key] : [key, hostKey]);
  return [];
}

reportUncaughtErrors();
// That it has loaded.
parentPort?.postMessage([] satisfies FromSigner);
parentPort?.on("message", (requests: ToSigner) => {
  parentPort?.postMessage(requests.flatMap(replyTo) satisfies FromSigner);
});
