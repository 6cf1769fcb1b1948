/**
 * What each reason code means, in a sentence for the person who sent the message. Which code applies is decided by
 * delivery/verdict.ts, by settling and by the spool; what was said word for word stands in the tries.
 */
import type { Stage } from "./outcome.ts";

/** Of failed recipients. */
const FAILED: Readonly<Record<string, string>> = {
  recipient_refused: "The host refused the recipient for good.",
  sender_refused: "The host refused the sender's address for good.",
  message_refused: "The host refused the message for good.",
  domain_not_found: "The recipient's domain does not exist.",
  null_mx: "The recipient's domain says that it takes no mail.",
  // Of messages from versions that held any exchanger with this host's name for this service.
  mail_loop: "The recipient's domain names this very host as its best mail exchanger.",
  message_too_large: "The message is larger than the host takes.",
  needs_8bitmime: "The message has 8-bit text, which the host does not take.",
  needs_smtputf8: "An address is not ASCII, which the host does not take.",
  expired: "It expired before it could be delivered.",
  suppressed: "It was not tried: the address was refused as not existing at different times of late.",
};

/** Of recipients that may have the message: unknown ones, and those made pending again by UNKNOWN_POLICY or a person. */
const UNKNOWN: Readonly<Record<string, string>> = {
  connection_lost_after_final_dot: "The connection broke after the whole message was sent: it may have been taken.",
  no_reply_to_final_dot: "The whole message was sent and no answer came: it may have been taken.",
  garbled_reply_to_final_dot: "The whole message was sent and the answer made no sense: it may have been taken.",
  restored_from_backup:
    "The spool was restored from a backup in which it still waited: it may have been delivered since.",
  interrupted_after_final_dot: "Postrider stopped just when the message was handed over: it may have been taken.",
};

const SENTENCES: Readonly<Record<string, string>> = {
  ...FAILED,
  ...UNKNOWN,
  // pending
  temporarily_refused: "The host refused it for now.",
  host_refused: "The host refused to talk for now.",
  connection_failed: "No usable connection to the host came about.",
  connection_lost: "The connection broke before the message was handed over.",
  timeout: "The host did not answer in time, before the message was handed over.",
  protocol_error: "The host answered with something that is not SMTP, before the message was handed over.",
  refused_on_fallback: "The host refused it after TLS or EHLO with it did not work, so the refusal is not final.",
  tls_required: "The host wants TLS, and TLS with it did not work.",
  tls_policy_failed: "The recipient's domain demands TLS that the host did not show.",
  mta_sts_mx_mismatch: "The domain's MTA-STS policy does not name its mail exchanger.",
  dns_trouble: "DNS gave no usable answer.",
  no_mail_host: "The recipient's domain exists, but names no host for its mail.",
  host_without_address: "No address of the host could be found.",
  address_refused: "The host's address is not a public one, and private ones are not connected to.",
  too_many_recipients: "The host takes no more recipients at a time; the rest comes with the next attempt.",
  interrupted_before_final_dot: "Postrider stopped before the message was handed over; the next start tries again.",
  internal_error: "Postrider itself was in trouble; the log says more.",
};

/** Those that a failed recipient can have. */
export const FAILED_REASONS: readonly string[] = Object.keys(FAILED);

/** Whether a recipient with this reason may have the message. */
export function isUnknownReason(reason: string | null): boolean {
  return reason !== null && Object.hasOwn(UNKNOWN, reason);
}

/** Every reason code that has a sentence. */
export const REASONS: readonly string[] = Object.keys(SENTENCES);

/** The sentence for a reason code; for one that is not known here, the code itself. */
export function sentenceFor(reason: string): string {
  return SENTENCES[reason] ?? reason;
}

/** When something was said or went wrong, as it stands before a colon. */
export const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  // Also the service's own faults, such as a key that does not open.
  dns: "before the connection",
  connect: "while connecting",
  greeting: "at the greeting",
  ehlo: "at EHLO",
  starttls: "at STARTTLS",
  mail: "at MAIL FROM",
  rcpt: "at RCPT TO",
  data: "at DATA",
  content: "while the content was sent",
  final_dot: "after the final dot",
};
