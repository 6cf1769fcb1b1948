/**
 * Commands for suppressed addresses: those that receive no attempts because hosts refused them as not existing, or because their
 * owner complained or unsubscribed.
 */
import { rfc3339 } from "../lib/clock.ts";
import { sanitizeLine } from "../lib/terminal-text.ts";
import { SUPPRESSION_NAMES } from "../message/result/explanation.ts";
import type { SuppressedAddress } from "../spool/port/suppressions.ts";
import { type Implementation, Refusal } from "./command.ts";
import { refusalLines, suppressedPeriod } from "./message-history.ts";

const LIST_MAX = 1000;

export const listSuppressions: Implementation = {
  async run({ config, store, account, nowMs }) {
    const filter = { accountId: account.id, after: config.suppressAfter, nowMs, limit: LIST_MAX };
    const suppressed = await store.suppressions(filter);
    const none =
      config.suppressAfter === 0
        ? "No address is suppressed. Refusals suppress none (SUPPRESS_AFTER=0)."
        : "No address is suppressed.";
    const more = suppressed.length === LIST_MAX ? `\n\nOnly the newest ${LIST_MAX} are shown.` : "";
    const text = suppressed.length === 0 ? none : suppressed.map(blockOf).join("\n\n") + more;
    return { json: suppressed.map(jsonOf), text };
  },
};

function jsonOf({ email, cause, sinceMs, untilMs, refusals }: SuppressedAddress) {
  return {
    email,
    cause,
    since: rfc3339(sinceMs),
    until: untilMs === null ? null : rfc3339(untilMs),
    refusals: refusals.map(({ at_ms, ...refusal }) => ({ at: rfc3339(at_ms), ...refusal })),
  };
}

function blockOf(address: SuppressedAddress): string {
  const { email, cause, refusals } = address;
  return [
    `${sanitizeLine(email)}  ${SUPPRESSION_NAMES[cause]}, suppressed ${suppressedPeriod(address)}`,
    ...refusals.flatMap((refusal) => refusalLines(refusal, "  ")),
  ].join("\n");
}

export const removeSuppression: Implementation = {
  async run({ store, account }, { positionals: [email = ""] }) {
    if (!(await store.unsuppress(account.id, email))) {
      throw new Refusal(`the account ${account.name} has no refusals of ${email}, and no suppression`);
    }
    const text = `${email} is not suppressed any more, and its refusals were deleted: the next message to it is attempted.`;
    return { json: { email, removed: true }, text };
  },
};
