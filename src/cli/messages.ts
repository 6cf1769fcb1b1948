/** `messages show`, and finding the message that a command names. */
import { messageView } from "../app/message-view.ts";
import type { MessageReport } from "../spool/port/results.ts";
import { type CommandContext, type Implementation, Refusal } from "./command.ts";
import { messageHistory } from "./message-history.ts";

/** The account's message with this id. Rejects with a Refusal if there is none. */
export async function messageOf({ store, account }: CommandContext, id: string): Promise<MessageReport> {
  const report = await store.report(id);
  if (report === null || report.accountId !== account.id) {
    throw new Refusal(`the account ${account.name} has no message ${id}`);
  }
  return report;
}

export const showMessage: Implementation = {
  async run(context, { positionals: [id = ""] }) {
    const report = await messageOf(context, id);
    return { json: messageView(report), text: messageHistory(report, context.nowMs) };
  },
};
