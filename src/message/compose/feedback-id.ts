/**
 * The header field Feedback-ID, by which receivers count complaints: up to four identifiers, of which the last is the sender's
 * (https://support.google.com/mail/answer/6254652). dkim.ts signs it: Gmail ignores an unsigned one.
 */
import { type Content, headerOf } from "../content.ts";

/** Gmail requires 5 to 15 characters. */
export const isFeedbackSenderId = (text: string): boolean => /^[A-Za-z0-9._-]{5,15}$/.test(text);

const TAG_LENGTH_MAX = 32;

export interface FeedbackSource {
  accountId: string;
  /** Of the From address. */
  domain: string;
  tags: readonly string[];
  /** As isFeedbackSenderId accepts it. */
  senderId: string;
}

/** Returns the field with its CRLF, the narrowest identifier first: tag, domain, account, sender. */
export function feedbackIdField({ accountId, domain, tags, senderId }: FeedbackSource): string {
  return `Feedback-ID: ${identifierOf(tags[0] ?? "")}:${domain}:${accountId}:${senderId}\r\n`;
}

/** Empty for a tag that may be an email address, which is personal data. */
const identifierOf = (tag: string): string =>
  tag.includes("@") ? "" : tag.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, TAG_LENGTH_MAX);

/** Whether the message has the field already. Receivers ignore a message that has two. */
export const hasFeedbackId = ({ bytes }: Content): boolean => /^feedback-id:/im.test(headerOf(bytes));
