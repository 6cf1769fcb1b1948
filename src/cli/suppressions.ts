/** Commands for suppressed addresses: those that receive no attempts because hosts refused them as not existing. */
import { rfc3339 } from "../lib/clock.ts";
import { sanitizeLine } from "../lib/terminal-text.ts";
import { type Command, Refusal } from "./command.ts";
import { refusalLines } from "./message-history.ts";

const LIST_MAX = 1000;

const list: Command = {
  usage: "suppressions list",
  summary: "suppressed addresses, and the refusals that led to it",
  async run({ config, store, account, nowMs }) {
    const filter = { accountId: account.id, after: config.suppressAfter, nowMs, limit: LIST_MAX };
    const suppressed = await store.suppressions(filter);
    const json = suppressed.map(({ email, sinceMs, untilMs, refusals }) => ({
      email,
      since: rfc3339(sinceMs),
      until: rfc3339(untilMs),
      refusals: refusals.map(({ at_ms, ...refusal }) => ({ at: rfc3339(at_ms), ...refusal })),
    }));
    const blocks = suppressed.map(({ email, sinceMs, untilMs, refusals }) =>
      [
        `${sanitizeLine(email)}  suppressed since ${rfc3339(sinceMs)}, until ${rfc3339(untilMs)}`,
        ...refusals.flatMap((refusal) => refusalLines(refusal, "  ")),
      ].join("\n"),
    );
    const none = config.suppressAfter === 0 ? "Suppression is off (SUPPRESS_AFTER=0)." : "No address is suppressed.";
    const more = suppressed.length === LIST_MAX ? `\n\nOnly the newest ${LIST_MAX} are shown.` : "";
    return { json, text: blocks.length === 0 ? none : blocks.join("\n\n") + more };
  },
};

const remove: Command = {
  usage: "suppressions remove EMAIL",
  summary: "lift the suppression of an address, from the next message on",
  async run({ store, account }, { positionals: [email = ""] }) {
    if (!(await store.unsuppress(account.id, email))) {
      throw new Refusal(`the account ${account.name} has no refusals of ${email}`);
    }
    const text = `The refusals of ${email} were deleted: the next message to it is attempted.`;
    return { json: { email, removed: true }, text };
  },
};

export const suppressionCommands = [list, remove];
