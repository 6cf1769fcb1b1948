/**
 * Header fields that mail servers write, about a message's path and its authentication: one list for HTTP, which rejects them by name,
 * and for submission, which sends some on, because programs pass on messages that have come from elsewhere.
 */

/** What servers have found out about a message's authentication, or sign: a client's could be forged (RFC 8601 §5, RFC 8617). */
const AUTHENTICATION: ReadonlySet<string> = new Set(["authentication-results", "received-spf", "return-path"]);
const AUTHENTICATION_PREFIX = /^(dkim|domainkey|arc)-/;

/** A message's path. Submission needs them to detect loops, and to pass on what was sent again. */
const PATH: ReadonlySet<string> = new Set([
  "received",
  "delivered-to",
  "envelope-to",
  "x-original-to",
  "apparently-to",
]);
const PATH_PREFIX = /^(received|resent|x-envelope)-/;

/** Whether no client may send this field on. `key`: its name in lower case. */
export const isAuthenticationField = (key: string): boolean =>
  AUTHENTICATION.has(key) || AUTHENTICATION_PREFIX.test(key);

/** Whether only servers write this field. `key`: its name in lower case. */
export const isServerField = (key: string): boolean =>
  isAuthenticationField(key) || PATH.has(key) || PATH_PREFIX.test(key);
