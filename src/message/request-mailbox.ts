/**
 * Addresses in a request: one, or one or several, with each fault at its place. What an address is, is address.ts's.
 */
import { MAILBOX_LENGTH_MAX, type Mailbox, mailboxKey, parseMailbox } from "./address.ts";
import { isLongerThan } from "./character-limit.ts";
import type { FieldError } from "./request-fault.ts";

/** The mailbox, or null with its fault noted unless the schema has named it. */
export function readMailbox(field: string, value: unknown, errors: FieldError[]): Mailbox | null {
  if (typeof value !== "string" || isLongerThan(value, MAILBOX_LENGTH_MAX)) return null;
  const parsed = parseMailbox(value);
  if (parsed.type === "invalid") {
    errors.push({ field, detail: parsed.detail });
    return null;
  }
  const { name, address, local, domain } = parsed;
  return { name, address, local, domain };
}

export interface Reading {
  /** Mailboxes read so far, by mailboxKey: none is read twice. */
  seen: Set<string>;
  errors: FieldError[];
}

/** The valid mailboxes of an address or an array of them, each at its first place; without those seen before. */
export function readMailboxes(field: string, value: unknown, { seen, errors }: Reading): Mailbox[] {
  const fresh: Mailbox[] = [];
  const read = (name: string, entry: unknown): void => {
    const mailbox = readMailbox(name, entry, errors);
    if (mailbox === null) return;
    const key = mailboxKey(mailbox.local, mailbox.domain);
    if (!seen.has(key)) fresh.push(mailbox);
    seen.add(key);
  };
  if (Array.isArray(value)) for (const [index, entry] of value.entries()) read(`${field}[${index}]`, entry);
  else read(field, value);
  return fresh;
}
