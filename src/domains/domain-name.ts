/**
 * Validates the name of a sending domain and converts it to A-labels. Decides on only the name's syntax; the checks decide
 * whether the domain exists.
 */
import { isIP } from "node:net";
import { parse } from "tldts";
import { domainInAscii, domainInUnicode, isDomainTooLong } from "../message/domain-encoding.ts";

export type DomainName =
  /** Lower-case A-labels without a final dot. */
  | { type: "valid"; name: string }
  /** `detail` explains the fault in a sentence. */
  | { type: "invalid"; detail: string };

/** Parses a domain name as users enter it (RFC 1035 §2.3.4, RFC 5890). */
export function normalizeDomainName(input: string): DomainName {
  const typed = input.trim().replace(/\.$/, "").toLowerCase();
  const fault = findInputFault(typed);
  if (fault !== null) return { type: "invalid", detail: fault };
  const name = domainInAscii(typed).replace(/\.$/, "");
  if (name === "" || name.split(".").some(isUndecodableALabel)) {
    return {
      type: "invalid",
      detail: "This is not a valid domain name: its international characters cannot be encoded.",
    };
  }
  const detail = findNameFault(name);
  return detail === null ? { type: "valid", name } : { type: "invalid", detail };
}

/** An A-label that does not decode: Node 24 accepts it. */
function isUndecodableALabel(label: string): boolean {
  return label.startsWith("xn--") && domainInUnicode(label) === label;
}

/** The URL algorithm truncates a name at "/", "?" and "#" and drops spaces, so these are rejected first. */
function findInputFault(typed: string): string | null {
  if (typed === "") return "Enter a domain name, such as example.com.";
  if (isDomainTooLong(typed)) return "A domain name has at most 253 characters.";
  if (isIP(typed.replace(/^\[(?:ipv6:)?|\]$/g, "")) !== 0) {
    return "This is an IP address. Enter a domain name, such as example.com.";
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//.test(typed) || typed.includes("/")) {
    return "This is a web address. Enter the domain name only, without “https://” and path.";
  }
  if (typed.includes("@")) return "This is an email address. Enter only the part after the @.";
  if (/:\d*$/.test(typed)) return "Enter the domain name without a port.";
  if (/\s/.test(typed)) return "A domain name cannot contain spaces.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is the ASCII range without the characters of names.
  const odd = /[\u0000-\u007f]/.test(typed) ? /[^a-z0-9._\u0080-\u{10ffff}-]/u.exec(typed)?.[0] : undefined;
  return odd === undefined ? null : `A domain name cannot contain “${odd}”.`;
}

function findNameFault(name: string): string | null {
  const labels = name.split(".");
  if (name.includes("_")) return "A sending domain cannot contain an underscore.";
  if (labels.includes("")) return "The name has two dots in a row, or begins with a dot.";
  if (name.length > 253) return `A domain name has at most 253 characters; this one has ${name.length}.`;
  const long = labels.find((label) => label.length > 63);
  if (long) return `Each part between dots has at most 63 characters; “${long.slice(0, 20)}…” has ${long.length}.`;
  if (isIP(name) !== 0 || /^\d+$/.test(labels.at(-1) ?? "")) {
    return "This is a number, not a domain name. Enter a domain name, such as example.com.";
  }
  const odd = labels.find((label) => !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label));
  if (odd) return `“${odd}” cannot be part of a domain name. Use letters, digits and inner hyphens only.`;
  const { domain, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  if (labels.length === 1 && !isIcann && !isPrivate) {
    return `“${name}” has no dot: a single label cannot be a sending domain. Enter the full name, such as ${name.slice(0, 40)}.com.`;
  }
  if (domain === null) {
    return `“${name}” is a public suffix, under which others register their names. Enter your own domain under it, such as example.${name}.`;
  }
  return null;
}
