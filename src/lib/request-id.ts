/** The id of one request, in its response and in the log. */
import { pooledRandomBytes } from "./random.ts";

/** `req_` and 16 random URL-safe characters. */
export function newRequestId(): string {
  return `req_${pooledRandomBytes(12).toString("base64url")}`;
}
