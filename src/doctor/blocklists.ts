/**
 * Whether DNS blocklists name the sending IPv4 addresses (RFC 5782). Decides what is a listing at all: a list that refuses
 * this resolver, answers with anything else or lacks its test entry says nothing of an address.
 */
import { isIPv4 } from "node:net";
import type { DnsAnswer } from "../dns/resolver.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** RFC 5782 §5: every list names the first and not the second. */
const TEST_LISTED = "127.0.0.2";
const TEST_UNLISTED = "127.0.0.1";
const REASON_LENGTH_MAX = 200;

/** One finding for a list, about all addresses. Never rejects. */
export async function checkBlocklist(list: string, { resolver, sendingIps }: DoctorInput): Promise<Finding> {
  const check: Finding["check"] = `blocklist ${list}`;
  const ips = sendingIps.filter((ip) => isIPv4(ip));
  if (ips.length === 0) return { check, state: "unclear", detail: "No IPv4 sending address is known to ask for." };
  const ask = (ip: string) => resolver.a(entryName(ip, list));
  const [listed, unlisted, ...answers] = await Promise.all([ask(TEST_LISTED), ask(TEST_UNLISTED), ...ips.map(ask)]);
  const unusable = explainUnusable(list, { listed, unlisted, answers });
  if (unusable !== null) return { check, state: "unclear", detail: unusable };
  const named = ips.filter((_, index) => listingCodes(answers[index]).length > 0);
  if (named.length === 0) return { check, state: "ok", detail: `It does not list ${ips.join(", ")}.` };
  const reasons = await Promise.all(named.map((ip) => resolver.txt(entryName(ip, list))));
  const sentences = named.map((ip, index) => {
    const codes = listingCodes(answers[ips.indexOf(ip)]).join(", ");
    return `It lists ${ip} (${codes}${formatReason(reasons[index])}).`;
  });
  const detail = `${sentences.join(" ")} Many receivers refuse mail for that: find and end the cause, then ask ${list} to be removed.`;
  return { check, state: "problem", detail };
}

function entryName(ip: string, list: string): string {
  return `${ip.split(".").reverse().join(".")}.${list}`;
}

interface Answers {
  listed: DnsAnswer<string>;
  unlisted: DnsAnswer<string>;
  answers: DnsAnswer<string>[];
}

function explainUnusable(list: string, { listed, unlisted, answers }: Answers): string | null {
  const all = [listed, unlisted, ...answers];
  const found = all.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  const refusal = found.find((code) => code.startsWith("127.255.255."));
  if (refusal !== undefined) {
    return `${list} refuses to answer (${refusal}): that is no listing. It does not serve big public resolvers or too many questions; ask through a resolver of your own, such as unbound on this host (DNS_SERVERS).`;
  }
  const trouble = all.find((answer) => answer.type === "failure");
  if (trouble?.type === "failure") return `${list} gave no answer (${trouble.code}). Ask again later.`;
  const other = found.find((code) => !code.startsWith("127."));
  if (other !== undefined) {
    return `${list} is answered with ${other}, which no blocklist says: the list has ended, or the resolver bends answers. Take it out of BLOCKLISTS, or use another resolver.`;
  }
  if (listingCodes(listed).length > 0 && listingCodes(unlisted).length === 0) return null;
  return `${list} does not answer as a blocklist does: its test entry ${TEST_LISTED} must be listed and ${TEST_UNLISTED} must not. It does not serve this resolver, or has ended: take it out of BLOCKLISTS, or use another resolver.`;
}

function listingCodes(answer: DnsAnswer<string> | undefined): string[] {
  return answer?.type === "found" ? answer.records : [];
}

function formatReason(answer: DnsAnswer<string> | undefined): string {
  const text = answer?.type === "found" ? answer.records[0] : undefined;
  return text === undefined ? "" : `: ${text.slice(0, REASON_LENGTH_MAX)}`;
}
