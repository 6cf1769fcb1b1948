/**
 * The fields of a delivery status notification (message/delivery-status, RFC 3464 §2; message/global-delivery-status, RFC 6533), and
 * of other reports that have groups of fields (RFC 5965 §3). Reads facts; bounce.ts decides what they mean.
 */

/** Groups and fields beyond these are not read: a real notification has a group for each recipient. */
const GROUPS_MAX = 200;
const FIELDS_MAX = 100;
const VALUE_LENGTH_MAX = 4000;

/** A group's fields: lower-case names, unfolded values. Of repeated fields the first counts. */
export type FieldGroup = ReadonlyMap<string, string>;

/** RFC 3464 §2.3.3. */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

/** What a notification says of one recipient. */
export interface RecipientStatus {
  /** Final-Recipient: the address at which delivery was tried; null if it is missing, or no Internet address. */
  final: string | null;
  /** Original-Recipient: as the sender has given it. */
  original: string | null;
  /** Null if missing or unknown. */
  action: Action | null;
  /** An enhanced status code such as `5.1.1`; null if missing. */
  status: string | null;
  /** Diagnostic-Code without its type; null if missing. */
  diagnostic: string | null;
  /** Whether the diagnostic's type is `smtp`: then it is a reply. */
  isReply: boolean;
  /** The host that has reported the status. */
  remoteMta: string | null;
}

const ACTIONS: ReadonlySet<string> = new Set<Action>(["failed", "delayed", "delivered", "relayed", "expanded"]);

/** Splits a text into groups of fields, which blank lines separate. Lines that are no fields are skipped. */
export function fieldGroups(text: string): FieldGroup[] {
  const groups: FieldGroup[] = [];
  for (const block of text.split(/\r?\n[ \t]*\r?\n/)) {
    if (groups.length === GROUPS_MAX) break;
    const group = fieldsOf(block);
    if (group.size > 0) groups.push(group);
  }
  return groups;
}

function fieldsOf(block: string): FieldGroup {
  const fields = new Map<string, string>();
  let name = "";
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (name !== "") fields.set(name, `${fields.get(name)} ${line.trim()}`.slice(0, VALUE_LENGTH_MAX));
      continue;
    }
    const [, field = "", value = ""] = /^([!-9;-~]{1,100})[ \t]*:(.*)$/.exec(line) ?? [];
    name = fields.has(field.toLowerCase()) || fields.size === FIELDS_MAX ? "" : field.toLowerCase();
    if (name !== "") fields.set(name, value.trim().slice(0, VALUE_LENGTH_MAX));
  }
  return fields;
}

/** Returns the recipients of a notification. Some programs omit the group of the message, or the blank line after it. */
export function recipientStatuses(text: string): RecipientStatus[] {
  return fieldGroups(text).filter(isOfRecipient).map(recipientStatus);
}

const isOfRecipient = (group: FieldGroup): boolean =>
  ["final-recipient", "original-recipient", "action", "status"].some((name) => group.has(name));

function recipientStatus(group: FieldGroup): RecipientStatus {
  const action =
    group
      .get("action")
      ?.split(/[\s(;]/)[0]
      ?.toLowerCase() ?? "";
  const { type, value } = typed(group.get("diagnostic-code"));
  return {
    final: addressOf(group.get("final-recipient")),
    original: addressOf(group.get("original-recipient")),
    action: ACTIONS.has(action) ? (action as Action) : null,
    status: /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(group.get("status") ?? "")?.[1] ?? null,
    diagnostic: value === "" ? null : value,
    isReply: type === "smtp",
    remoteMta: typed(group.get("remote-mta")).value || null,
  };
}

/** Splits `type; value` (RFC 3464 §2.1.2). Some programs omit the type. */
function typed(field = ""): { type: string; value: string } {
  const [, type = "", value = ""] = /^([\w-]{1,40})[ \t]*;(.*)$/s.exec(field) ?? [];
  return type === "" ? { type: "", value: field.trim() } : { type: type.toLowerCase(), value: value.trim() };
}

/** The address of a `rfc822` or `utf-8` field, without angle brackets and comments. */
function addressOf(field: string | undefined): string | null {
  const { type, value } = typed(field);
  if (!["", "rfc822", "utf-8"].includes(type)) return null;
  const bare = /<([^<>\s@]+@[^<>\s@]+)>/.exec(value)?.[1] ?? /^("[^"]*"@\S+|\S+@\S+)/.exec(value)?.[1];
  return bare?.replace(/[.;,]+$/, "") ?? null;
}
