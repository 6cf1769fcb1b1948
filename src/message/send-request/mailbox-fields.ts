/**
 * Validates the fields that hold one address, or one or several, and names each error's field. address.ts decides what a valid
 * address is.
 */
import { ambiguity, MAILBOX_LENGTH_MAX, type Mailbox, mailboxKey, parseMailbox } from "../address.ts";
import { isLongerThan } from "../character-limit.ts";
import type { FieldError } from "../field-errors.ts";

/** Returns the mailbox, or null. Adds its error to `errors` unless the schema has already rejected the value. */
function validateMailbox(field: string, value: unknown, errors: FieldError[]): Mailbox | null {
  if (typeof value !== "string" || isLongerThan(value, MAILBOX_LENGTH_MAX)) return null;
  const parsed = parseMailbox(value);
  if (parsed.type === "invalid") {
    errors.push({ field, detail: parsed.detail });
    return null;
  }
  const { name, address, local, domain } = parsed;
  return { name, address, local, domain };
}

/** As `validateMailbox`, for the sender, whose domain must be the same to each reader. */
export function validateSender(field: string, value: unknown, errors: FieldError[]): Mailbox | null {
  const mailbox = validateMailbox(field, value, errors);
  const detail = mailbox === null ? null : ambiguity(mailbox.local);
  if (detail !== null) errors.push({ field, detail });
  return mailbox;
}

/** Shared by the validators of one request. */
export interface ValidationState {
  /** The mailboxes so far, by mailboxKey. A repeated mailbox is skipped. */
  seen: Set<string>;
  errors: FieldError[];
}

/** Returns the valid mailboxes of an address or an array of addresses, without those in `seen`. */
export function validateMailboxes(field: string, value: unknown, { seen, errors }: ValidationState): Mailbox[] {
  const mailboxes: Mailbox[] = [];
  const add = (name: string, entry: unknown): void => {
    const mailbox = validateMailbox(name, entry, errors);
    if (mailbox === null) return;
    const key = mailboxKey(mailbox.local, mailbox.domain);
    if (!seen.has(key)) mailboxes.push(mailbox);
    seen.add(key);
  };
  if (Array.isArray(value)) for (const [index, entry] of value.entries()) add(`${field}[${index}]`, entry);
  else add(field, value);
  return mailboxes;
}
