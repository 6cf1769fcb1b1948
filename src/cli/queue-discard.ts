/** `queue discard`: ends a message that cannot be read. */
import { discardMessage, quarantinedName } from "../app/decide/discard-message.ts";
import { type Implementation, pluralize, Refusal } from "./command.ts";

export const queueDiscard: Implementation = {
  async run({ store, by, nowMs, confirm }, { positionals: [name = ""] }) {
    await confirm(`Discard the damaged message ${name}? Its recipients without a final result fail.`);
    const discarded = await discardMessage(store, { message: quarantinedName(name), by, nowMs });
    switch (discarded.type) {
      case "unknown":
        throw new Refusal(`no quarantined message is called ${name}: see queue quarantined`);
      case "not_quarantined":
        throw new Refusal(`${name} is not quarantined: use queue cancel ${name}`);
      case "discarded": {
        const { messageId, seq, failed, isComplete } = discarded.message;
        const note = isComplete ? "" : "\nA part of it could not be written. It is not delivered all the same.";
        return {
          json: { id: messageId, row: seq, failed, complete: isComplete },
          text: `${messageId ?? `row ${seq}`} is discarded: ${pluralize(failed, "recipient")} failed.${note}`,
        };
      }
    }
  },
};
