/** The replies of only the inbound listener; smtp-server/rejection.ts has those of any listener. */
import { SmtpRejection } from "../smtp-server/rejection.ts";

/** The reasons of rejections, for metrics. */
export const INBOUND_PROBLEMS = [
  "unknown_recipient",
  "rate_limit_exceeded",
  "too_many_recipients",
  "body_too_large",
  "invalid_request",
  "engine_unavailable",
] as const;

export const unknownRecipient = (): SmtpRejection =>
  new SmtpRejection(
    550,
    "5.1.1 No such address: only bounces and reports about mail from here are accepted",
    "unknown_recipient",
  );

export const tooManyUnknown = (): SmtpRejection =>
  new SmtpRejection(421, "4.7.0 Too many addresses that do not exist", "unknown_recipient");

export const tooManyConnections = (): SmtpRejection =>
  new SmtpRejection(421, "4.7.0 Too many connections from your address: close one first", "rate_limit_exceeded");

export const tooManyMessages = (): SmtpRejection =>
  new SmtpRejection(451, "4.7.1 Too many messages from your address: try again later", "rate_limit_exceeded");

export const tooMuchWaits = (): SmtpRejection =>
  new SmtpRejection(452, "4.3.1 Too much mail waits to be read here: try again later", "engine_unavailable");
