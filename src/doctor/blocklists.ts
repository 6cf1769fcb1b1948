/**
 * Whether DNS blocklists list the sending addresses, or the host's domain (RFC 5782). Decides what counts as a listing: a list that refuses
 * this resolver, returns other answers, or lacks its test entry proves nothing about an address.
 */
import { isIP } from "node:net";
import { getDomain } from "tldts";
import type { DnsAnswer, Resolver } from "../dns/resolver.ts";
import { reverseName } from "../lib/ip-address.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** RFC 5782 §5: every list of a family has the first entry and not the second. */
const TESTS = {
  4: { listed: "127.0.0.2", unlisted: "127.0.0.1" },
  6: { listed: "::ffff:7f00:2", unlisted: "::ffff:7f00:1" },
} as const;
const REASON_LENGTH_MAX = 200;

/** Checks all addresses against one list. Never rejects. */
export async function checkBlocklist(
  list: string,
  { resolver, sendingIps }: Pick<DoctorInput, "resolver" | "sendingIps">,
): Promise<Finding> {
  const check: Finding["check"] = `blocklist ${list}`;
  const families = ([4, 6] as const).filter((family) => sendingIps.some((ip) => isIP(ip) === family));
  if (families.length === 0) return { check, state: "unclear", detail: "No sending address is known." };
  const results = await Promise.all(
    families.map((family) =>
      checkFamily(list, family, { resolver, ips: sendingIps.filter((ip) => isIP(ip) === family) }),
    ),
  );
  const found = results.filter((result) => result !== null);
  if (found.length === 0)
    return {
      check,
      state: "unclear",
      detail: `${list} has no entries for IPv6 addresses, and no IPv4 sending address is known.`,
    };
  const state = (["problem", "unclear"] as const).find((each) => found.some((result) => result.state === each)) ?? "ok";
  return { check, state, detail: found.map(({ detail }) => detail).join(" ") };
}

/** Null if the list has no entries for IPv6 addresses. */
async function checkFamily(
  list: string,
  family: 4 | 6,
  { resolver, ips }: { resolver: Resolver; ips: readonly string[] },
): Promise<Pick<Finding, "state" | "detail"> | null> {
  const entries = TESTS[family];
  const lookUp = (ip: string) => resolver.a(entryName(ip, list));
  const [listed, unlisted, ...answers] = await Promise.all([
    lookUp(entries.listed),
    lookUp(entries.unlisted),
    ...ips.map(lookUp),
  ]);
  if (family === 6 && (listed.type === "nodata" || listed.type === "nxdomain")) return null;
  const test = { entries: `${entries.listed} must be listed and ${entries.unlisted} must not`, setting: "BLOCKLISTS" };
  const unusable = explainUnusable(list, { listed, unlisted, answers }, test);
  if (unusable !== null) return { state: "unclear", detail: unusable };
  const named = ips.filter((_, index) => listingCodes(answers[index]).length > 0);
  if (named.length === 0) return { state: "ok", detail: `${list} does not list ${ips.join(", ")}.` };
  const reasons = await Promise.all(named.map((ip) => resolver.txt(entryName(ip, list))));
  const sentences = named.map((ip, index) => {
    const codes = listingCodes(answers[ips.indexOf(ip)]).join(", ");
    return `${list} lists ${ip} (${codes}${formatReason(reasons[index])}).`;
  });
  const detail = `${sentences.join(" ")} Many receivers reject messages from a listed address. Find and fix the cause, then request removal from ${list}.`;
  return { state: "problem", detail };
}

interface DomainBlocklist {
  list: string;
  /** A name that it documents as listed. */
  testListed: string;
}

/** Large lists of domains. */
export const DOMAIN_LISTS: readonly DomainBlocklist[] = [
  { list: "dbl.spamhaus.org", testListed: "dbltest.com" },
  { list: "multi.surbl.org", testListed: "surbl-org-permanent-test-point.com" },
];

/** What lists of domains are asked for: the organisational domain of a host; null without one. */
const listedDomainOf = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true, extractHostname: false });

/** Checks a host's domain against a list of domains. Never rejects. */
export async function checkDomainBlocklist(
  { list, testListed }: DomainBlocklist,
  host: string,
  resolver: Resolver,
): Promise<Finding> {
  const check: Finding["check"] = `blocklist ${list}`;
  const domain = listedDomainOf(host);
  if (domain === null) return { check, state: "unclear", detail: `${host} has no domain that ${list} could have.` };
  const names = [testListed, UNLISTED_DOMAIN, domain].map((name) => resolver.a(`${name}.${list}`));
  const [listed, unlisted, answer] = await Promise.all(names as [Answer, Answer, Answer]);
  const test = { entries: `${testListed} must be listed and ${UNLISTED_DOMAIN} must not`, setting: null };
  const unusable = explainUnusable(list, { listed, unlisted, answers: [answer] }, test);
  if (unusable !== null) return { check, state: "unclear", detail: unusable };
  const codes = listingCodes(answer);
  if (codes.length === 0) return { check, state: "ok", detail: `${list} does not list ${domain}.` };
  const detail = `${list} lists ${domain} (${codes.join(", ")}). Many receivers reject messages from a listed domain. Find and fix the cause, then request removal from ${list}.`;
  return { check, state: "problem", detail };
}

type Answer = Promise<DnsAnswer<string>>;

/** RFC 6761 §6.4: nobody has it. */
const UNLISTED_DOMAIN = "postrider.invalid";

/** RFC 5782 §2.1 and §2.4: the address as in the reverse zones. */
const entryName = (ip: string, list: string): string =>
  `${(reverseName(ip) ?? "").replace(/\.(?:in-addr|ip6)\.arpa$/u, "")}.${list}`;

interface Answers {
  listed: DnsAnswer<string>;
  unlisted: DnsAnswer<string>;
  answers: DnsAnswer<string>[];
}

/** `entries`: what the list answers about itself. `setting` names it; null where none does. */
function explainUnusable(
  list: string,
  { listed, unlisted, answers }: Answers,
  { entries, setting }: { entries: string; setting: string | null },
): string | null {
  const remove = setting === null ? "Use another resolver" : `Remove it from ${setting}, or use another resolver`;
  const all = [listed, unlisted, ...answers];
  const found = all.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  const refusal = found.find((code) => code.startsWith("127.255.255."));
  if (refusal !== undefined) {
    return `${list} refuses to answer (${refusal}); this is not a listing. It does not serve large public resolvers, or resolvers with too many queries. Use your own resolver, such as unbound on this server (DNS_SERVERS).`;
  }
  const failure = all.find((answer) => answer.type === "failure");
  if (failure?.type === "failure") return `${list} did not answer (${failure.code}). Try again later.`;
  const other = found.find((code) => !code.startsWith("127."));
  if (other !== undefined) {
    return `The answer for ${list} is ${other}, which is not a blocklist code: the list was shut down, or the resolver rewrites answers. ${remove}.`;
  }
  if (listingCodes(listed).length > 0 && listingCodes(unlisted).length === 0) return null;
  return `${list} does not answer like a blocklist: its test entry ${entries}. It does not serve this resolver, or was shut down. ${remove}.`;
}

function listingCodes(answer: DnsAnswer<string> | undefined): string[] {
  return answer?.type === "found" ? answer.records : [];
}

function formatReason(answer: DnsAnswer<string> | undefined): string {
  const text = answer?.type === "found" ? answer.records[0] : undefined;
  return text === undefined ? "" : `: ${text.slice(0, REASON_LENGTH_MAX)}`;
}
