/** Reads of contents for delivery: a message whose content is damaged is quarantined. */
import type { Clock } from "../../../../lib/clock.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { StoredContent } from "../../../port/mail.ts";
import type { Database } from "../connection/database.ts";
import { type ContentKey, readContent } from "../mail/content-reads.ts";
import { addToQuarantine } from "./quarantine.ts";

/** As `readContent`. */
export async function readOrQuarantine(
  database: Database,
  message: ContentKey,
  clock: Pick<Clock, "now">,
): Promise<StoredContent> {
  const { seq } = message;
  const quarantining = async <T>(read: Promise<T>): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      if (error instanceof MessageDamaged && seq !== null)
        await addToQuarantine(database, [{ seq, part: "content", error }], clock.now());
      throw error;
    }
  };
  const content = await quarantining(readContent(database, message));
  return { ...content, part: (number) => quarantining(content.part(number)) };
}
