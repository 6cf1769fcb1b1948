/**
 * The key that authenticates what comes back: the tags of envelope senders and of unsubscribe links. It is one for the whole
 * service, and it is stored in the spool, sealed under the master key.
 */
import { randomBytes } from "node:crypto";
import type { Logger } from "../../lib/log.ts";
import { secretSealName, type Vault } from "../../security/vault.ts";
import type { Secrets } from "../../spool/port/secrets.ts";

export const FEEDBACK_KEY_BYTES = 32;

/** Stored, so it does not change. */
const NAME = "feedback";

export interface FeedbackKeyParts {
  store: Secrets;
  vault: Pick<Vault, "seal" | "open">;
  log: Pick<Logger, "warn">;
}

/**
 * Returns the key of FEEDBACK_KEY_BYTES bytes. Makes one if there is none yet, or if the stored one was sealed with a master key
 * that is lost; of several processes that do so at once, all get the same. Rejects with SpoolUnavailable.
 */
export async function feedbackKey({ store, vault, log }: FeedbackKeyParts): Promise<Buffer> {
  const stored = await store.readSecret(NAME);
  const present = stored === null ? null : opened(vault, stored);
  if (present !== null) return present;
  const sealed = vault.seal(secretSealName(NAME), randomBytes(FEEDBACK_KEY_BYTES).toString("base64"));
  if (stored === null) {
    await store.addSecret(NAME, sealed);
  } else {
    await store.addSecret(NAME, sealed, stored);
    log.warn("feedback key replaced: the master key does not open it; bounces of earlier messages are not recognized");
  }
  const added = await store.readSecret(NAME);
  const key = added === null ? null : opened(vault, added);
  if (key === null) throw new Error("the feedback key in the spool does not open with the key in master.key");
  return key;
}

/** Null for a value that does not open, or is no key. */
function opened(vault: Pick<Vault, "open">, sealed: Buffer): Buffer | null {
  try {
    const key = Buffer.from(vault.open(secretSealName(NAME), sealed), "base64");
    return key.length === FEEDBACK_KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}
