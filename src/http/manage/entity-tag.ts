/** Entity tags (RFC 9110 §8.8.3) of what two people may change, and the precondition that a request names with one. */
import { createHash } from "node:crypto";
import { Problem } from "../response/problems.ts";

/** Computed from what users can change of a thing, without what the service changes, such as when a key was last used. */
export const entityTag = (editable: unknown): string =>
  `"${createHash("sha256").update(JSON.stringify(editable)).digest("base64url").slice(0, 22)}"`;

/** Throws the 412 problem unless If-Match has the tag or `*` (RFC 9110 §13.1.1). `header`: its value; empty where it is absent. */
export function requireMatch(header: string, tag: string): void {
  if (header === "" || header.trim() === "*") return;
  const tags = header.split(",").map((each) => each.trim());
  if (tags.includes(tag)) return;
  const detail =
    "It was changed since the entity tag in If-Match. Read it again, and repeat the change with the new one.";
  throw new Problem("precondition_failed", detail, { headers: { ETag: tag } });
}
