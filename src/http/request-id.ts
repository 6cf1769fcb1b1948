/** The name of one request, in its answer and in the log. */
import { randomBytes } from "node:crypto";

/** `req_` and 16 random URL-safe characters. */
export function newRequestId(): string {
  return `req_${randomBytes(12).toString("base64url")}`;
}
