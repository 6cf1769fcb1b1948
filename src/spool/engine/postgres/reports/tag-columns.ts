/** The rows of message_tags that belong to stored messages. The table has no index by message, so they are made of the messages. */
import { tagsOf } from "../../../records/message-labels.ts";
import { storedText } from "../connection/stored-text.ts";

/** The columns of a message that its tags need. */
export interface TaggedMessage {
  seq: number;
  accountId: string;
  /** As stored, in JSON. */
  tags: string | null;
}

/** The columns seq, account_id and tag, as parameters of unnest. */
export function tagColumns(messages: readonly TaggedMessage[]): [number[], string[], string[]] {
  const columns: [number[], string[], string[]] = [[], [], []];
  for (const { seq, accountId, tags } of messages) {
    for (const tag of tagsOf(tags)) {
      columns[0].push(seq);
      columns[1].push(accountId);
      columns[2].push(storedText(tag));
    }
  }
  return columns;
}
