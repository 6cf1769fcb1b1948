/**
 * Whether a known feedback loop has signed a mail: looks up the keys, and has the reader's thread verify the signature. Only mail with
 * a signature that can count causes look-ups, SIGNATURES_MAX at most.
 */

import type { Resolver } from "../../dns/resolver.ts";
import type { Clock } from "../../lib/clock.ts";
import { withinLimit } from "../../lib/time-limit.ts";
import { HOUR_MS } from "../../lib/units.ts";
import { loopKeyNames } from "../../message/feedback/loop-signature.ts";
import type { IncomingMail } from "../../spool/port/incoming.ts";
import type { IncomingReader } from "./incoming-reader.ts";

/** For the look-ups of one mail. Others wait meanwhile. */
const LOOKUP_MAX_MS = 3000;
/** While no server answers, the mail waits for so long. After that it counts as unsigned. */
const RETRIED_MS = HOUR_MS;

export interface LoopVerificationParts {
  resolver: Pick<Resolver, "txt">;
  reader: Pick<IncomingReader, "isSignedByLoop">;
  clock: Clock;
}

/** Rejects if a key cannot be looked up at the moment, or the mail cannot be read within its limits (ReadingFailed). */
export async function verifyLoop(mail: IncomingMail, parts: LoopVerificationParts): Promise<boolean> {
  const { recipient, receivedAtMs, content } = mail;
  const names = loopKeyNames(content, { recipient, receivedAtMs });
  if (names.length === 0) return false;
  const answers = await lookUp(names, parts);
  const keys = answers.flatMap(({ name, answer }) =>
    answer?.type === "found" ? [{ name, texts: answer.records }] : [],
  );
  if (keys.length > 0 && (await parts.reader.isSignedByLoop({ content, recipient, receivedAtMs, keys }))) return true;
  const failed = answers.find(({ answer }) => answer === null || answer.type === "failure");
  if (failed !== undefined && parts.clock.now() - receivedAtMs < RETRIED_MS)
    throw new Error(`the key of a feedback loop's signature, ${failed.name}, cannot be looked up`);
  return false;
}

/** An answer is null if there was none in time. */
function lookUp(names: readonly string[], { resolver, clock }: LoopVerificationParts) {
  const limit = { clock, limitMs: LOOKUP_MAX_MS, late: null };
  return Promise.all(names.map(async (name) => ({ name, answer: await withinLimit(resolver.txt(name), limit) })));
}
