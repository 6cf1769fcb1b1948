/**
 * Sends a message that an operator writes on the command line. It is validated and accepted like a message of the API, but belongs
 * to no API key, and uses no token of the sending rate.
 */
import type { Clock } from "../../lib/clock.ts";
import { pooledRandomBytes } from "../../lib/random.ts";
import { draftOf } from "../../message/compose/draft.ts";
import { randomToken } from "../../message/ids.ts";
import { validateSendRequest } from "../../message/send-request/send-request-validation.ts";
import { FULL_ACCESS } from "../../spool/port/api-keys.ts";
import type { AcceptMessage, Rejection } from "./accept-message.ts";

/** The key id of messages that were sent from the command line. */
export const COMMAND_LINE_KEY = "command-line";

export interface CommandLineMessage {
  accountId: string;
  from: string;
  to: string[];
  subject: string;
  text: string | null;
  html: string | null;
}

export interface CommandLineMessageParts {
  acceptMessage: Pick<AcceptMessage, "accept">;
  clock: Pick<Clock, "now">;
  recipientsMax: number;
}

/** `invalid`: the errors as sentences, each with the field in front. */
export type CommandLineMessageResult =
  | { type: "accepted"; id: string }
  | { type: "invalid"; errors: string[] }
  | Rejection;

/** `accepted` means on disk. Rejects with SpoolUnavailable. */
export async function sendCommandLineMessage(
  { acceptMessage, clock, recipientsMax }: CommandLineMessageParts,
  { accountId, from, to, subject, text, html }: CommandLineMessage,
): Promise<CommandLineMessageResult> {
  const body = { from, to, subject, ...(text === null ? {} : { text }), ...(html === null ? {} : { html }) };
  const validated = validateSendRequest(body, { recipientsMax });
  if (validated.type === "invalid") {
    return { type: "invalid", errors: validated.errors.map(({ field, detail }) => `${field}: ${detail}`) };
  }
  const receivedAtMs = clock.now();
  const draft = draftOf(validated.submission, {
    token: randomToken(18, pooledRandomBytes),
    dateMs: receivedAtMs,
    boundary: pooledRandomBytes(15).toString("hex"),
  });
  const sentBy = { accountId, keyId: COMMAND_LINE_KEY, isTest: false, access: FULL_ACCESS };
  const result = await acceptMessage.accept({ ...sentBy, idempotencyKey: null, isRated: false, draft, receivedAtMs });
  return result.type === "rejected" ? result : { type: "accepted", id: result.id };
}
