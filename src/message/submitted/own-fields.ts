/**
 * The header fields of a message that are for Postrider, and that it removes: X-Postrider-Idempotency-Key, -Tag, -Metadata-NAME,
 * -Expires-In and -Unsubscribe. Their limits are those of a send request's fields, which send-request-validation.ts decides.
 */
import { decodeWords } from "../encoded-words.ts";
import { echo } from "../field-errors.ts";
import type { HeaderField } from "../header/header-fields.ts";

const PREFIX = "x-postrider-";
const METADATA = "x-postrider-metadata-";

export interface OwnFields {
  idempotencyKey: string | null;
  /** Fields of a send request; a value that is not valid there is not valid here. */
  request: {
    tags?: string[];
    metadata?: Record<string, string>;
    expires_in?: string | number;
    unsubscribe?: string | boolean;
  };
}

export type ReadOwnFields = ({ type: "valid" } & OwnFields) | { type: "invalid"; detail: string };

const KNOWN =
  "X-Postrider-Tag, X-Postrider-Metadata-NAME, X-Postrider-Idempotency-Key, X-Postrider-Expires-In and X-Postrider-Unsubscribe";

/** Printable ASCII, as in the Idempotency-Key field of HTTP. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,256}$/;

export const isOwn = ({ key }: HeaderField): boolean => key.startsWith(PREFIX);

/** Reads Postrider's fields among those of a header. A field of its prefix that it does not know is invalid. */
export function readOwnFields(fields: readonly HeaderField[]): ReadOwnFields {
  const tags: string[] = [];
  const metadata = new Map<string, string>();
  const single = new Map<string, string>();
  for (const field of fields.filter(isOwn)) {
    const { key, name } = field;
    const value = decodeWords(field.value);
    if (key === `${PREFIX}tag`) tags.push(value);
    else if (!SINGLE.has(key) && !key.startsWith(METADATA))
      return invalid(`${echo(name)} is not a known field. Known are ${KNOWN}.`);
    else if (single.has(key)) return invalid(`${echo(name)} occurs more than once.`);
    else {
      single.set(key, value);
      if (key.startsWith(METADATA)) metadata.set(name.slice(METADATA.length), value);
    }
  }
  const idempotencyKey = single.get(`${PREFIX}idempotency-key`) ?? null;
  if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return invalid("X-Postrider-Idempotency-Key must be 1 to 256 printable ASCII characters.");
  }
  const expiresIn = single.get(`${PREFIX}expires-in`);
  const unsubscribe = single.get(`${PREFIX}unsubscribe`);
  const request = {
    ...(tags.length === 0 ? {} : { tags }),
    ...(metadata.size === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    ...(expiresIn === undefined ? {} : { expires_in: /^\d{1,9}$/.test(expiresIn) ? Number(expiresIn) : expiresIn }),
    ...(unsubscribe === undefined ? {} : { unsubscribe: booleanOf(unsubscribe) }),
  };
  return { type: "valid", idempotencyKey, request };
}

const SINGLE: ReadonlySet<string> = new Set(
  ["idempotency-key", "expires-in", "unsubscribe"].map((name) => `${PREFIX}${name}`),
);

/** Other texts stay, and are not valid in a send request. */
const booleanOf = (text: string): boolean | string => {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
};

/** The header field behind a field of a send request, for an error. */
export function ownFieldName(requestField: string): string {
  if (requestField.startsWith("tags")) return "X-Postrider-Tag";
  if (requestField.startsWith("metadata.")) return `X-Postrider-Metadata-${requestField.slice("metadata.".length)}`;
  if (requestField === "unsubscribe") return "X-Postrider-Unsubscribe";
  return requestField === "metadata" ? "X-Postrider-Metadata" : "X-Postrider-Expires-In";
}

const invalid = (detail: string): ReadOwnFields => ({ type: "invalid", detail });
