/**
 * A person's decisions about recipients, however many: marking unknown ones as delivered or failed, and cancelling pending ones, in
 * steps with pauses between them, so the service's own writes are not held up. The spool decides which recipients change.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../message/result/outcome.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { RecipientsRef } from "../../spool/port/mail.ts";
import {
  type CancelledRecipients,
  DECIDED_MAX,
  type RecipientsDecision,
  type Resolution,
  type ResolvedRecipients,
} from "../../spool/port/operations.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import type { Spool } from "../../spool/port/spool.ts";

const PAUSE_MS = 20;

/** Who decides on the command line. A user of the dashboard has an email address. */
export const COMMAND_LINE = "command line";

/** An API key that decides, as the history of a recipient has it: `key website (key_…)`. */
export const keyText = ({ name, id }: Pick<ApiKey, "name" | "id">): string => `key ${name} (${id})`;

/** The recipients of a message with this result, and with this email address if one is given; none for no such recipient. */
export function recipientsWith(
  { id: messageId, recipients }: Pick<MessageReport, "id" | "recipients">,
  result: Result,
  email?: string,
): RecipientsRef[] {
  const matching = recipients.filter((each) => each.result === result && (email === undefined || each.email === email));
  return matching.length === 0 ? [] : [{ messageId, positions: matching.map(({ position }) => position) }];
}

/** Each step is durable: after an error, the same call decides about the rest. */
export async function resolveRecipients(
  spool: Pick<Spool, "resolve">,
  { recipients, ...resolution }: Resolution,
): Promise<ResolvedRecipients> {
  const total: ResolvedRecipients = { resolved: 0, unreadable: 0 };
  for await (const step of pacedSteps(recipients)) {
    const { resolved, unreadable } = await spool.resolve({ ...resolution, recipients: step });
    total.resolved += resolved;
    total.unreadable += unreadable;
  }
  return total;
}

/** As resolveRecipients. */
export async function cancelRecipients(
  spool: Pick<Spool, "cancel">,
  { recipients, ...decision }: RecipientsDecision,
): Promise<CancelledRecipients> {
  const total: CancelledRecipients = { cancelled: 0, unknown: 0, atDot: 0, unreadable: 0 };
  for await (const step of pacedSteps(recipients)) {
    const cancelled = await spool.cancel({ ...decision, recipients: step });
    for (const name of ["cancelled", "unknown", "atDot", "unreadable"] as const) total[name] += cancelled[name];
  }
  return total;
}

/** The recipients in steps of DECIDED_MAX at most, each after a pause but the first. Only a larger message is divided. */
export async function* pacedSteps(recipients: readonly RecipientsRef[]): AsyncGenerator<RecipientsRef[]> {
  let isFirst = true;
  for (const step of stepsOf(recipients)) {
    if (!isFirst) await sleep(PAUSE_MS);
    isFirst = false;
    yield step;
  }
}

function* stepsOf(recipients: readonly RecipientsRef[]): Generator<RecipientsRef[]> {
  let [step, room]: [RecipientsRef[], number] = [[], DECIDED_MAX];
  for (const { messageId, positions } of recipients) {
    if (step.length > 0 && positions.length > room) {
      yield step;
      [step, room] = [[], DECIDED_MAX];
    }
    for (let from = 0; from < positions.length; ) {
      const own = positions.slice(from, from + room);
      step.push({ messageId, positions: own });
      from += own.length;
      room -= own.length;
      if (room > 0) continue;
      yield step;
      [step, room] = [[], DECIDED_MAX];
    }
  }
  if (step.length > 0) yield step;
}
