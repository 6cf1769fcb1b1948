/**
 * Which URLs a webhook endpoint may have. Judges only the text: dns/target-policy.ts checks the addresses of a name at each
 * connection.
 */
import { isIP } from "node:net";
import { refusedUntranslated } from "../../dns/address-policy.ts";
import { isQueryableName, normalizeName } from "../../dns/name.ts";

export interface WebhookUrlPolicy {
  /** WEBHOOK_ALLOW_PRIVATE: also allows http and private addresses. */
  allowPrivate: boolean;
}

const URL_LENGTH_MAX = 2000;
const EXAMPLE = "https://example.com/webhooks";
const OVERRIDE = "The operator can allow it with WEBHOOK_ALLOW_PRIVATE.";

/** A sentence about the first fault of the URL; null for a valid one. */
export function webhookUrlFault(text: string, { allowPrivate }: WebhookUrlPolicy): string | null {
  if (text.length > URL_LENGTH_MAX) {
    return `A webhook URL has at most ${URL_LENGTH_MAX} characters; this one has ${text.length}.`;
  }
  // The URL parser removes some of these characters.
  if (/[\s\p{Cc}]/u.test(text)) return "A webhook URL cannot contain spaces or control characters.";
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return `This is not an absolute URL. Enter one such as ${EXAMPLE}.`;
  if (scheme !== "https" && scheme !== "http") return `A webhook URL begins with https://, not ${scheme}://.`;
  if (scheme === "http" && !allowPrivate) return `Webhooks are sent over HTTPS only, not HTTP. ${OVERRIDE}`;
  if (!URL.canParse(text)) return `This is not a valid URL. Enter one such as ${EXAMPLE}.`;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "A webhook URL cannot contain a user name or password.";
  if (text.includes("#")) return "A webhook URL cannot contain a fragment (#).";
  if (url.port === "0") return "A webhook URL cannot have the port 0.";
  return nameFault(url) ?? (allowPrivate ? null : hostFault(hostOf(url)));
}

/** The host without the brackets of an IPv6 address and without the final dot of a name. */
export function hostOf(url: URL): string {
  return normalizeName(url.hostname.replace(/^\[|\]$/g, ""));
}

/** An empty label would make a private name or address look like a public name, such as `localhost..` or `127.0.0.1..`. */
function nameFault(url: URL): string | null {
  if (isIP(hostOf(url)) !== 0 || isQueryableName(url.hostname)) return null;
  return `The host name “${url.hostname}” is not valid: each part between dots has 1 to 63 characters, the whole at most 253.`;
}

function hostFault(host: string): string | null {
  if (isIP(host) !== 0) {
    const range = refusedUntranslated(host);
    return range === null ? null : `The address ${host} is not public (${range}). ${OVERRIDE}`;
  }
  if (host === "localhost" || host.endsWith(".localhost")) return `${host} is the local host. ${OVERRIDE}`;
  return host.includes(".") ? null : `“${host}” has no dot: it is not a public host name. ${OVERRIDE}`;
}

/** Whoever posts to an endpoint may have put a password or a token into its URL. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}
