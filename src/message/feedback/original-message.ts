/** Finds, in a report, the message that it is about: it is attached as a whole (message/rfc822), or its header (text/rfc822-headers). */
import { fieldGroups } from "./delivery-status.ts";
import type { IncomingMessage } from "./report-parts.ts";

export interface OriginalMessage {
  /** Message-ID with angle brackets; null if the report does not repeat it. */
  messageId: string | null;
  /** Return-Path without angle brackets: the envelope sender. */
  returnPath: string | null;
}

const ORIGINAL_TYPES = new Set(["message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers"]);

export function originalOf({ parts }: Pick<IncomingMessage, "parts">): OriginalMessage {
  const part = parts.find(({ type }) => ORIGINAL_TYPES.has(type));
  const [fields = new Map<string, string>()] = fieldGroups(part?.text.trimStart() ?? "");
  return {
    messageId: /<[^<>\s]+>/.exec(fields.get("message-id") ?? "")?.[0] ?? null,
    returnPath: /[^\s<>@]+@[^\s<>@]+/.exec(fields.get("return-path") ?? "")?.[0] ?? null,
  };
}
