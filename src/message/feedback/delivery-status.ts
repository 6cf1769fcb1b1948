/**
 * The fields of a delivery status notification (message/delivery-status, RFC 3464 §2; message/global-delivery-status, RFC 6533), and
 * of other reports that have groups of fields (RFC 5965 §3). Reads facts; bounce.ts decides what they mean.
 */

/** Groups and fields beyond these are not read: a real notification has a group for each recipient. */
const GROUPS_MAX = 200;
const FIELDS_MAX = 100;
const VALUE_LENGTH_MAX = 4000;
/** RFC 5321 §4.5.3.1 allows 64 + 1 + 255. */
const ADDRESS_LENGTH_MAX = 320;

/** A group's fields: lower-case names, unfolded values. Of repeated fields the first counts. */
export type FieldGroup = ReadonlyMap<string, string>;

/** RFC 3464 §2.3.3. */
type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

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

/**
 * Splits a text into groups of fields, which blank lines separate. A field of `unique` that occurs again begins a group, too. Lines
 * that are no fields are skipped.
 */
export function fieldGroups(text: string, unique: readonly string[] = []): FieldGroup[] {
  const groups: Map<string, string>[] = [];
  for (const block of text.split(/\r?\n[ \t]{0,200}\r?\n/)) {
    for (const group of groupsOf(block, unique)) if (groups.length < GROUPS_MAX && group.size > 0) groups.push(group);
    if (groups.length === GROUPS_MAX) break;
  }
  return groups;
}

function groupsOf(block: string, unique: readonly string[]): Map<string, string>[] {
  let fields = new Map<string, string>();
  const groups = [fields];
  let name = "";
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      const value = fields.get(name);
      if (value !== undefined && value.length < VALUE_LENGTH_MAX)
        fields.set(name, `${value} ${line.trim()}`.slice(0, VALUE_LENGTH_MAX));
      continue;
    }
    const [, field = "", value = ""] = /^([!-9;-~]{1,100})[ \t]{0,20}:(.*)$/.exec(line) ?? [];
    name = field.toLowerCase();
    if (fields.has(name) && unique.includes(name)) {
      fields = new Map();
      if (groups.push(fields) > GROUPS_MAX) return groups;
    }
    if (fields.has(name) || fields.size === FIELDS_MAX) name = "";
    if (name !== "") fields.set(name, value.trim().slice(0, VALUE_LENGTH_MAX));
  }
  return groups;
}

/**
 * Returns the recipients of a notification. Some programs omit the group of the message, or the blank lines between groups, or write
 * blank lines within one.
 */
export function recipientStatuses(text: string): RecipientStatus[] {
  const groups: Map<string, string>[] = [];
  for (const group of fieldGroups(text, RECIPIENT_FIELDS)) {
    if (!RECIPIENT_FIELDS.some((name) => group.has(name))) continue;
    const last = groups.at(-1);
    // The rest of a group, or the first part of one that begins with the action.
    const isRest = last !== undefined && RECIPIENT_FIELDS.every((name) => !(group.has(name) && last.has(name)));
    if (isRest) for (const [name, value] of group) last.set(name, last.get(name) ?? value);
    else groups.push(new Map(group));
  }
  return groups.map(recipientStatus);
}

/** Fields of which each recipient has one. */
const RECIPIENT_FIELDS = ["final-recipient", "original-recipient", "action", "status"];

function recipientStatus(group: FieldGroup): RecipientStatus {
  const action =
    group
      .get("action")
      ?.split(/[\s(;]/)[0]
      ?.toLowerCase() ?? "";
  const { type, value } = typed(group.get("diagnostic-code"));
  return {
    final: addressOf(group.get("final-recipient")) ?? addressOf(group.get("x-actual-recipient")),
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

/** The address of a field, without angle brackets and comments. Not all programs name the type `rfc822`. */
function addressOf(field: string | undefined): string | null {
  const { type, value } = typed(field);
  if (type === "x400") return null;
  const bare = /<\s?([^<>\s@]+@[^<>\s@]+?)\s?>/.exec(value)?.[1] ?? /^("[^"]*"@\S+|[^\s@]+@[^\s@]+)/.exec(value)?.[1];
  const address = bare?.replace(/[.;,>)]{1,20}$/, "").replace(/^</, "") ?? null;
  return address === null || address.length > ADDRESS_LENGTH_MAX ? null : address;
}
