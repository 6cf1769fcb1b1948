/**
 * The path of a request as the log and the request log show it.
 */

import { STATUS_PATH } from "../../app/status/status-links.ts";

const LENGTH_MAX = 200;

/** Endpoints for machines of the operator, requested every few seconds. */
const SERVICE_PATHS = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json"]);

const API_KEY = new RegExp(`(?:(${escapable("svc_live_")})|${escapable("svc_test_")})[^/]*`, "gi");
/** To the end of the path: base64 contains slashes. */
const SIGNING_SECRET = new RegExp(`${escapable("whsec_")}.*`, "is");
/** The token of a link to the dashboard, of an unsubscribe link or of a status page, in a request that does not get there, such as a malformed one. */
const LINK_TOKEN = /(\/(?:setup|invitation|new-password|unsubscribe|status)\/+)[^/]+/gi;

/** An email address that names a thing of the management interface. */
const ADDRESS = /^(\/api\/manage\/(?:suppressions|users)\/+)[^/]+/i;

/** Shortens the path, which may come from an unauthenticated client, and removes API keys, signing secrets, tokens of links and email addresses from it. */
export function loggedPath(path: string): string {
  const shown = path.length > LENGTH_MAX ? `${path.slice(0, LENGTH_MAX)}…` : path;
  return withoutSecrets(shown).replace(ADDRESS, "$1…");
}

/** Removes API keys, signing secrets and tokens of links, in any text that may contain a path. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(API_KEY, (_, live?: string) => (live === undefined ? "svc_test_…" : "svc_live_…"))
    .replace(SIGNING_SECRET, "whsec_…")
    .replace(LINK_TOKEN, "$1…");

/**
 * A pattern of the text in which any character may be percent-encoded, also repeatedly. A decoded path is not matched instead:
 * decoding fails for some paths, and can yield control characters.
 */
function escapable(text: string): string {
  return Array.from(text, (char) => `(?:${char}|%(?:25)*${charEscape(char)})`).join("");
}

/** The hexadecimal digits of the character in either case, of which the flag `i` allows the other letters. */
function charEscape(char: string): string {
  const hex = (text: string): string => text.charCodeAt(0).toString(16);
  return `(?:${hex(char)}|${hex(char.toUpperCase())})`;
}

/** As loggedPath, of a request target without its query. Returns "" for a target that is not a path. */
export function loggedTarget(target: string): string {
  if (!target.startsWith("/")) return "";
  const end = target.indexOf("?");
  return loggedPath(end === -1 ? target : target.slice(0, end));
}

/** Whether requests of this path are left out of the request log: readers of status pages are no clients of the API. */
export const isServicePath = (path: string): boolean => SERVICE_PATHS.has(path) || path.startsWith(STATUS_PATH);
