/** The replies of only SMTP submission (RFC 4954 §6, RFC 6409 §6); smtp-server/rejection.ts has those of any listener. */
import type { Rejection } from "../app/send/accept-message.ts";
import { SmtpRejection } from "../smtp-server/rejection.ts";

export const authenticationRequired = (): SmtpRejection =>
  new SmtpRejection(
    530,
    "5.7.0 Authenticate first (after STARTTLS if the connection is not under TLS): any user name, an API key as the password",
    "unauthorized",
  );

export const invalidKey = (): SmtpRejection =>
  new SmtpRejection(
    535,
    "5.7.8 The password must be an API key that has not expired and is not revoked",
    "invalid_api_key",
  );

export const mayNotSend = (detail: string): SmtpRejection =>
  new SmtpRejection(535, `5.7.8 ${detail}`, "permission_denied");

export const tooManyAttempts = (): SmtpRejection =>
  new SmtpRejection(421, "4.7.0 Too many attempts without a valid API key from this address", "rate_limit_exceeded");

export const invalidMessage = (detail: string): SmtpRejection =>
  new SmtpRejection(550, `5.6.0 ${detail}`, "invalid_request");

export const invalidRecipient = (detail: string): SmtpRejection =>
  new SmtpRejection(553, `5.1.3 ${detail}`, "invalid_request");

/** The reply for each reason for which the use case rejects a message. */
const REPLIES: Readonly<Record<Rejection["code"], readonly [code: number, status: string]>> = {
  invalid_request: [550, "5.6.0"],
  invalid_api_key: [535, "5.7.8"],
  permission_denied: [550, "5.7.1"],
  sender_not_allowed: [550, "5.7.1"],
  domain_not_verified: [550, "5.7.1"],
  engine_unavailable: [451, "4.3.0"],
  rate_limit_exceeded: [451, "4.7.1"],
  quota_exceeded: [451, "4.7.1"],
  idempotency_key_reused: [550, "5.5.0"],
  body_too_large: [552, "5.3.4"],
};

export function rejectionReply({ code, detail, retryAfterS }: Rejection): SmtpRejection {
  const [responseCode, status] = REPLIES[code];
  const text = code === "idempotency_key_reused" ? REUSED : detail;
  const wait = retryAfterS === undefined ? "" : ` Try again in ${retryAfterS} s.`;
  return new SmtpRejection(responseCode, `${status} ${text}${wait}`, code);
}

const REUSED = "This X-Postrider-Idempotency-Key was used within 24 hours with another sender, recipients or subject.";
