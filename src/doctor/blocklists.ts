/**
 * Whether DNS blocklists list the sending IPv4 addresses (RFC 5782). Decides what counts as a listing: a list that refuses
 * this resolver, returns other answers, or lacks its test entry proves nothing about an address.
 */
import { isIPv4 } from "node:net";
import type { DnsAnswer, Resolver } from "../dns/resolver.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** RFC 5782 §5: every list has the first entry and not the second. */
const TEST_LISTED = "127.0.0.2";
const TEST_UNLISTED = "127.0.0.1";
const REASON_LENGTH_MAX = 200;

/** Checks all addresses against one list. Never rejects. */
export async function checkBlocklist(
  list: string,
  { resolver, sendingIps }: Pick<DoctorInput, "resolver" | "sendingIps">,
): Promise<Finding> {
  const check: Finding["check"] = `blocklist ${list}`;
  const ips = sendingIps.filter((ip) => isIPv4(ip));
  if (ips.length === 0) return { check, state: "unclear", detail: "No IPv4 sending address is known." };
  const lookUp = (ip: string) => resolver.a(entryName(ip, list));
  const [listed, unlisted, ...answers] = await Promise.all([
    lookUp(TEST_LISTED),
    lookUp(TEST_UNLISTED),
    ...ips.map(lookUp),
  ]);
  const test = { entries: `${TEST_LISTED} must be listed and ${TEST_UNLISTED} must not`, setting: "BLOCKLISTS" };
  const unusable = explainUnusable(list, { listed, unlisted, answers }, test);
  if (unusable !== null) return { check, state: "unclear", detail: unusable };
  const named = ips.filter((_, index) => listingCodes(answers[index]).length > 0);
  if (named.length === 0) return { check, state: "ok", detail: `${list} does not list ${ips.join(", ")}.` };
  const reasons = await Promise.all(named.map((ip) => resolver.txt(entryName(ip, list))));
  const sentences = named.map((ip, index) => {
    const codes = listingCodes(answers[ips.indexOf(ip)]).join(", ");
    return `${list} lists ${ip} (${codes}${formatReason(reasons[index])}).`;
  });
  const detail = `${sentences.join(" ")} Many receivers reject messages from a listed address. Find and fix the cause, then request removal from ${list}.`;
  return { check, state: "problem", detail };
}

export interface DomainBlocklist {
  list: string;
  /** A name that it documents as listed. */
  testListed: string;
}

/** Checks a domain against a list of domains. Never rejects. */
export async function checkDomainBlocklist(
  { list, testListed }: DomainBlocklist,
  domain: string,
  resolver: Resolver,
): Promise<Pick<Finding, "state" | "detail">> {
  const names = [testListed, UNLISTED_DOMAIN, domain].map((name) => resolver.a(`${name}.${list}`));
  const [listed, unlisted, answer] = await Promise.all(names as [Answer, Answer, Answer]);
  const test = { entries: `${testListed} must be listed and ${UNLISTED_DOMAIN} must not`, setting: null };
  const unusable = explainUnusable(list, { listed, unlisted, answers: [answer] }, test);
  if (unusable !== null) return { state: "unclear", detail: unusable };
  const codes = listingCodes(answer);
  if (codes.length === 0) return { state: "ok", detail: `${list} does not list ${domain}.` };
  const detail = `${list} lists ${domain} (${codes.join(", ")}). Many receivers reject messages from a listed domain. Find and fix the cause, then request removal from ${list}.`;
  return { state: "problem", detail };
}

type Answer = Promise<DnsAnswer<string>>;

/** RFC 6761 §6.4: nobody has it. */
const UNLISTED_DOMAIN = "postrider.invalid";

function entryName(ip: string, list: string): string {
  return `${ip.split(".").reverse().join(".")}.${list}`;
}

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
    return `${list} refuses to answer (${refusal}); this is not a listing. It does not serve large public resolvers, or resolvers with too many queries. Use a resolver of your own, such as unbound on this host (DNS_SERVERS).`;
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
