/**
 * The header fields of one-click unsubscribe (RFC 2369, RFC 8058), and which messages may have them. dkim.ts signs both fields, as
 * RFC 8058 §4 requires.
 */
import type { FieldError } from "../field-errors.ts";
import type { CustomHeader } from "./custom-header.ts";

/** In lower case. */
const NAMES: ReadonlySet<string> = new Set(["list-unsubscribe", "list-unsubscribe-post"]);

/** Whether a header field is one of those that Postrider adds. */
export const isUnsubscribeField = (name: string): boolean => NAMES.has(name.toLowerCase());

/** The body of a POST that unsubscribes (RFC 8058 §3.1). */
export const ONE_CLICK = { name: "List-Unsubscribe", value: "One-Click" } as const;

/** Why a message to several recipients cannot have a link, as a sentence. */
export const ONE_RECIPIENT_ONLY =
  "A message with an unsubscribe link must have exactly one recipient, because the link identifies the recipient. Send a message to each.";

/** Returns the errors of a request that asks for the link. Where its addresses are invalid, `recipients` may be 0. */
export function unsubscribeErrors({
  recipients,
  headers = [],
}: {
  recipients: number;
  headers?: CustomHeader[] | undefined;
}): FieldError[] {
  const taken = headers.filter(({ name }) => isUnsubscribeField(name));
  return [
    ...(recipients > 1 ? [{ field: "unsubscribe", detail: ONE_RECIPIENT_ONLY }] : []),
    ...taken.map(({ name }) => ({
      field: `headers.${name}`,
      detail: "With unsubscribe, Postrider sets this header field itself.",
    })),
  ];
}

/** Returns the fields of a link, each with its CRLF. The URL is ASCII without white space. */
export const unsubscribeFields = (url: string): string =>
  `List-Unsubscribe: <${url}>\r\nList-Unsubscribe-Post: ${ONE_CLICK.name}=${ONE_CLICK.value}\r\n`;
