/** Exports the messages of a search as comma-separated values, one record a recipient, page by page. */
import { rfc3339 } from "../../lib/clock.ts";
import { csvRecord } from "../../lib/csv.ts";
import type { FoundRecipient, MessageFilter, MessageRecipients, Reports } from "../../spool/port/reports.ts";

/** The most recipients of one export. */
const EXPORT_ROWS_MAX = 100_000;

/** Messages read at a time. */
const PAGE_MESSAGES = 200;

/** The names of the columns, in their order. */
const COLUMNS = [
  "accepted_at",
  "id",
  "message_id",
  "from",
  "recipient",
  "field",
  "subject",
  "tags",
  "api_key",
  "test",
  "result",
  "reason",
  "category",
  "attempts",
  "updated_at",
  "smtp_code",
  "smtp_enhanced_code",
  "smtp_reply",
  "mx",
];

export interface ExportOptions {
  filter: Omit<MessageFilter, "cursor" | "after" | "limit">;
  /** The name of an API key; of one without a name, its id. */
  keyName: (keyId: string) => string;
  /** As EXPORT_ROWS_MAX. */
  rowsMax?: number;
}

/**
 * Yields the export in parts, the newest messages first; recipients that the filter does not select are left out. An export that
 * was cut off ends with a record that says so. Rejects as `findRecipients` does.
 */
export async function* exportMessages(
  reports: Pick<Reports, "findRecipients">,
  { filter, keyName, rowsMax = EXPORT_ROWS_MAX }: ExportOptions,
): AsyncGenerator<string, void> {
  let part = csvRecord(COLUMNS);
  let rows = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const at = cursor === "" ? {} : { cursor };
    const page = await reports.findRecipients({ ...filter, ...at, limit: PAGE_MESSAGES });
    for (const message of page.messages) {
      for (const recipient of message.recipients) {
        if (rows === rowsMax) {
          yield part + csvRecord([cutOffText(rowsMax)]);
          return;
        }
        part += recordOf(message, recipient, keyName);
        rows += 1;
      }
    }
    if (part !== "") yield part;
    part = "";
    cursor = page.cursor;
  }
}

const cutOffText = (rowsMax: number): string =>
  `This export ends here, after ${rowsMax} recipients. There are more: search for a shorter time to export the rest.`;

function recordOf(message: MessageRecipients, recipient: FoundRecipient, keyName: ExportOptions["keyName"]): string {
  const { createdAtMs, id, messageId, from, subject, tags, keyId, test } = message;
  const { email, field, result, reason, category, attempts, updatedAtMs, smtp } = recipient;
  return csvRecord([
    rfc3339(createdAtMs),
    id,
    messageId,
    from,
    email,
    field,
    subject,
    tags.join(" "),
    keyName(keyId),
    test,
    result,
    reason,
    category,
    attempts,
    rfc3339(updatedAtMs),
    smtp?.code,
    smtp?.enhanced_code,
    smtp?.message,
    smtp?.mx,
  ]);
}
