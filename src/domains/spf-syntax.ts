/**
 * The grammar of SPF terms (RFC 7208 §4.6.1, §5, §6, §7.1), and the repair of invalid terms. Pure. A syntax error anywhere
 * in a record is a permanent error for receivers (§4.6), also after a match, where evaluators that stop early miss it.
 */
import { isIP, isIPv4, isIPv6 } from "node:net";
import { closestWord } from "../message/closest-word.ts";

const MECHANISMS = ["all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"] as const;
/** A longer term is invalid: the longest that a domain name and its macros need is shorter. */
export const TERM_LENGTH_MAX = 500;

/** RFC 7208 allows an unknown modifier with an empty value; some evaluators do not. */
const MODIFIER = /^([a-z][a-z0-9_.-]*)=(.*)$/i;
const MACROS = /%\{[slodiphcrtv]\d{0,3}r?[-.+,/_=]*\}|%[%_-]/gi;
/** A domain ends in a top label, which is not all numeric, or in a macro. */
const DOMAIN_END = /(\.(?=[a-z0-9-]*[a-z-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?|%\{[^{}]*\})$/i;

/** The record's terms after its version. */
export function splitTerms(record: string): string[] {
  return record.trim().split(/\s+/).slice(1);
}

/** The first invalid term, or a modifier that is repeated; null for a valid record. */
export function findInvalidTerm(record: string): string | null {
  const terms = record.split(/ +/).slice(1);
  const invalid = terms.find((term) => term !== "" && !isTerm(term));
  if (invalid !== undefined) return invalid;
  const single = terms.filter((term) => /^(redirect|exp)=/i.test(term));
  return single.find((term, index) => single.findIndex((other) => nameOf(other) === nameOf(term)) !== index) ?? null;
}

const nameOf = (modifier: string): string => modifier.slice(0, modifier.indexOf("=")).toLowerCase();

function isTerm(term: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(term) || term.length > TERM_LENGTH_MAX) return false;
  const [, modifier, value = ""] = MODIFIER.exec(term) ?? [];
  if (modifier !== undefined)
    return /^(redirect|exp)$/i.test(modifier) ? isDomain(value) : value !== "" && isMacroString(value);
  const [, name = "", rest = ""] = /^[+?~-]?([a-z0-9]+)(.*)$/i.exec(term) ?? [];
  return isMechanism(name.toLowerCase(), rest);
}

function isMechanism(name: string, rest: string): boolean {
  switch (name) {
    case "all":
      return rest === "";
    case "include":
    case "exists":
      return rest.startsWith(":") && isDomain(rest.slice(1));
    case "ptr":
      return rest === "" || (rest.startsWith(":") && isDomain(rest.slice(1)));
    case "a":
    case "mx":
      return isHostSpec(rest);
    case "ip4":
      return rest.startsWith(":") && isNetwork(rest.slice(1), 4);
    case "ip6":
      return rest.startsWith(":") && isNetwork(rest.slice(1), 6);
    default:
      return false;
  }
}

/** `:domain/24//64`, each part optional. */
function isHostSpec(rest: string): boolean {
  const [, domain = "", bits4, bits6] = /^(.*?)(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/.exec(rest) ?? [];
  if (!isPrefix(bits4, 32) || !isPrefix(bits6, 128)) return false;
  return domain === "" || (domain.startsWith(":") && isDomain(domain.slice(1)));
}

function isNetwork(value: string, family: 4 | 6): boolean {
  const [address = "", bits, ...more] = value.split("/");
  const isAddress = family === 4 ? isIPv4(address) : isIPv6(address) && !address.includes("%");
  return more.length === 0 && isAddress && isPrefix(bits, family === 4 ? 32 : 128);
}

const isPrefix = (bits: string | undefined, max: number): boolean =>
  bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= max);

function isMacroString(value: string): boolean {
  return !value.replace(MACROS, "").includes("%");
}

function isDomain(value: string): boolean {
  return isMacroString(value) && DOMAIN_END.test(value) && !/^\.|\.\./.test(value) && !value.includes(":");
}

/** Repairs a term; null where the intended one is unclear. A repaired `all` never authorizes every host. */
export function repairTerm(term: string): string | null {
  if (isTerm(term)) return term;
  const clean = term
    .slice(0, TERM_LENGTH_MAX)
    .replace(/^[\u2010-\u2015\u2212]/, "-")
    .replace(/["'“”\\<>]|(?<![,;.])[,;.]+$/g, "");
  const [, qualifier = "", rest = ""] = /^([+?~-]?)(.*)$/.exec(clean) ?? [];
  const repaired = isTerm(clean) ? clean : guessNetwork(qualifier, rest) || guessTerm(qualifier, rest);
  if (!isTerm(repaired)) return null;
  return /^\+?all$/i.test(repaired) ? "~all" : repaired;
}

/** `ipv4:192.0.2.1`, `ip4=…`, `ip:…`, a bare address, `ip4:` with an IPv6 address, or a prefix that is too long. */
function guessNetwork(qualifier: string, rest: string): string {
  const [, value = ""] = /^(?:ip(?:v?[46])?[:=])?(.*)$/i.exec(rest) ?? [];
  const [address = "", bits] = value.split("/");
  const family = isIP(address);
  if (family === 0) return "";
  const prefix = bits !== undefined && isPrefix(bits, family === 4 ? 32 : 128) ? `/${bits}` : "";
  return `${qualifier}ip${family}:${address}${prefix}`;
}

/** A misspelled mechanism or modifier, or one with the other's separator before its value. */
function guessTerm(qualifier: string, rest: string): string {
  const [, word = "", separator = "", value = ""] = /^([a-z0-9_-]+)([:=]?)(.*)$/i.exec(rest) ?? [];
  const name = closestWord(
    word,
    [...MECHANISMS, "redirect", "exp"].filter((known) => known.length > 2 || known === word),
  );
  if (name === null) return "";
  if (name === "all") return value === "" || separator !== "" ? `${qualifier}all` : "";
  if (name === "redirect" || name === "exp") return `${name}=${value}`;
  return `${qualifier}${name}${separator === "" ? "" : ":"}${value}`;
}
