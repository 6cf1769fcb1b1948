/**
 * The sentence that explains each reason code to the sender of a message. delivery/verdict.ts, the retry decision and the spool
 * decide which code applies. Replies are shown word for word in the attempts.
 */
import type { Stage } from "./outcome.ts";

/** Of a recipient whose result was unknown, until a person decided. */
export const RESOLVED = "resolved";
/** Of a recipient whose delivery a person cancelled. */
export const CANCELLED = "cancelled";
/** Of a recipient whose stored message was damaged and discarded by an operator. */
export const DISCARDED = "discarded";

/** Of pending recipients whose host refuses the address that mail leaves from, its name or its rate. */
export const SENDING_ADDRESS_BLOCKED = "sending_address_blocked";
/** Of pending recipients whose host does not accept the authentication of the sending domain. */
export const SENDING_DOMAIN_REFUSED = "sending_domain_refused";

/** Of failed recipients. */
const FAILED = {
  recipient_refused: "The recipient's server permanently rejected the recipient.",
  sender_refused: "The recipient's server permanently rejected the sender's address.",
  message_refused: "The recipient's server permanently rejected the message.",
  domain_not_found: "The recipient's domain does not exist.",
  null_mx: "The recipient's domain declares that it accepts no mail (null MX).",
  // Given by earlier versions to every mail exchanger with this server's name.
  mail_loop: "The recipient's domain names this server as its own mail server (MX).",
  message_too_large: "The message is larger than the recipient's server accepts.",
  needs_8bitmime: "The message contains 8-bit text, which the recipient's server does not support.",
  needs_smtputf8: "An address contains non-ASCII characters, which the recipient's server does not support.",
  expired: "The message expired before it could be delivered.",
  suppressed:
    "Delivery was not attempted: the address is suppressed, because it was repeatedly reported not to exist, because its owner complained or unsubscribed, or because it was added to the suppression list.",
  [CANCELLED]: "The delivery was cancelled before the message was handed over.",
  [DISCARDED]:
    "The stored message was damaged, and an operator discarded it. An attempt before may have delivered it if the result was unknown.",
  // Also of delivered ones.
  [RESOLVED]:
    "The result was unknown, and a user or an operator decided it. No reply of the recipient's server shows it.",
} as const;

/** Of pending recipients whose message's key is held. */
export const HELD = "held";
export const WARM_UP = "warm_up";
/** Of pending recipients whose message is to be sent later. */
export const SCHEDULED = "scheduled";

/** The address is suppressed, so nothing was tried. */
export const SUPPRESSED = "suppressed";
export const NO_SENDING_ADDRESS = "no_sending_address";

/**
 * Of recipients that may have the message: unknown ones, and pending ones that UNKNOWN_POLICY or a user retries, also after deferrals of
 * the further attempts.
 */
const UNKNOWN = {
  connection_lost_after_final_dot:
    "The connection was lost after the whole message was sent. It may have been delivered.",
  no_reply_to_final_dot:
    "The whole message was sent, but the recipient's server did not reply. It may have been delivered.",
  garbled_reply_to_final_dot:
    "The whole message was sent, but the recipient's server sent an invalid reply. It may have been delivered.",
  restored_from_backup:
    "The spool was restored from a backup in which this recipient was waiting. The message may have been delivered since.",
  interrupted_after_final_dot: "Postrider stopped while the message was handed over. It may have been delivered.",
} as const;

/** Of pending recipients that do not have the message. */
const PENDING = {
  temporarily_refused: "The recipient's server temporarily rejected the delivery.",
  host_refused: "The recipient's server deferred the connection.",
  [SENDING_ADDRESS_BLOCKED]:
    "The recipient's server rejects mail from this server's address or name. Postrider sends it little until it accepts mail again.",
  [SENDING_DOMAIN_REFUSED]:
    "The recipient's server rejects mail of the sending domain for now. Postrider sends it little of that domain until it accepts it again.",
  [NO_SENDING_ADDRESS]:
    "No sending address of the message's pool can be used at the moment: each is paused, or its host is not running.",
  [HELD]:
    "The API key that sent the message is held, because it sends far above what it normally does. It waits until somebody releases the key or cancels the message.",
  [WARM_UP]:
    "The server's address is new to the recipient's mail provider, so it sends little there each day. Today's messages are sent.",
  [SCHEDULED]: "The message is scheduled: delivery begins at the time that the sender has chosen.",
  connection_failed: "Could not connect to the recipient's server.",
  connection_lost: "The connection was lost before the message was handed over.",
  timeout: "The recipient's server did not reply in time, before the message was handed over.",
  protocol_error: "The recipient's server sent an invalid SMTP reply before the message was handed over.",
  refused_on_fallback:
    "The recipient's server rejected the delivery after TLS or EHLO failed, so the rejection is not final.",
  tls_required: "The recipient's server requires TLS, but TLS could not be established.",
  tls_policy_failed:
    "The recipient's server did not meet the TLS policy for its domain (DANE, MTA-STS or an operator's rule).",
  mta_sts_mx_mismatch: "The MTA-STS policy of the recipient's domain does not list its mail server.",
  dns_trouble: "DNS lookups for the recipient's domain failed.",
  no_mail_host: "The recipient's domain exists, but has no mail server.",
  host_without_address: "No IP address was found for the recipient's server.",
  address_refused: "The recipient's server has a private IP address. Postrider connects only to public addresses.",
  too_many_recipients:
    "The recipient's server accepts no more recipients at a time. The others follow with the next attempt.",
  interrupted_before_final_dot:
    "Postrider was interrupted before the message was handed over. It retries as soon as it can.",
  internal_error: "An internal error occurred in Postrider. The log has the details.",
} as const;

const SENTENCES: Readonly<Record<string, string>> = { ...FAILED, ...UNKNOWN, ...PENDING };

export type FailedReason = keyof typeof FAILED;
export type UnknownReason = keyof typeof UNKNOWN;
export type PendingReason = keyof typeof PENDING;

/** Reason codes of failed recipients. */
export const FAILED_REASONS: readonly string[] = Object.keys(FAILED);

/** Whether a recipient with this reason may have received the message. */
export function isUnknownReason(reason: string | null): reason is string {
  return reason !== null && Object.hasOwn(UNKNOWN, reason);
}

/** What a pending recipient with this reason does at the end of its time: one that may have the message must not fail. */
export const endOfTime = (reason: string | null): "fails" | "becomes unknown" =>
  isUnknownReason(reason) ? "becomes unknown" : "fails";

/** Reason codes of recipients about which a person has decided. */
export const DECIDED_REASONS: readonly string[] = [RESOLVED, CANCELLED, DISCARDED];

/** Whether a recipient with this reason has failed because a person decided so. */
export function isDecidedReason(reason: string | null): boolean {
  return reason !== null && DECIDED_REASONS.includes(reason);
}

/** Reason codes of recipients that may have the message. */
export const UNKNOWN_REASONS: readonly string[] = Object.keys(UNKNOWN);

/** All reason codes. */
export const REASONS: readonly string[] = Object.keys(SENTENCES);

/** Returns the sentence of a reason code, or an unknown code itself. */
export function sentenceFor(reason: string): string {
  return SENTENCES[reason] ?? reason;
}

/** When a reply or an error occurred, as shown before a colon. */
export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  // Also internal errors, such as a DKIM key that cannot be decrypted.
  dns: "before connecting",
  connect: "while connecting",
  greeting: "at the greeting",
  ehlo: "at EHLO",
  starttls: "at STARTTLS",
  mail: "at MAIL FROM",
  rcpt: "at RCPT TO",
  data: "at DATA",
  content: "while sending the content",
  final_dot: "after the final dot",
};
