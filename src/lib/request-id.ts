/** The name of one request, in its answer and in the log. */
import { smallRandom } from "./random.ts";

/** `req_` and 16 random URL-safe characters. */
export function newRequestId(): string {
  return `req_${smallRandom(12).toString("base64url")}`;
}
