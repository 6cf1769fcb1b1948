/**
 * Preflight: whether large receivers take a session from this server's addresses. To an exchanger of each goes a greeting, EHLO, STARTTLS,
 * MAIL, RSET and QUIT; never RCPT, never DATA. It needs neither a spool nor an account.
 *
 * A receiver that takes the session may still refuse or filter messages: some judge a recipient's mail only by its content, the
 * sending domain or the rate.
 */
import { isIPv6, type Socket } from "node:net";
import { type Connect, connectTcp } from "../delivery/smtp/connect.ts";
import { type OpenFailure, openSession, type Session } from "../delivery/smtp/session.ts";
import { refusedRange } from "../dns/address-policy.ts";
import { systemAddresses } from "../dns/own-addresses.ts";
import type { Resolver } from "../dns/resolver.ts";
import { lookUpReverseName, type ReverseName } from "../dns/reverse-name.ts";
import type { Clock } from "../lib/clock.ts";
import { isSameAddress } from "../lib/ip-address.ts";
import { trimEndOf } from "../lib/trim-end.ts";
import { classifyReply } from "../message/result/classifier.ts";
import type { SmtpReply } from "../message/result/outcome.ts";
import type { ReceiverProfile } from "../receivers/profiles.ts";
import { checkBlocklist, checkDomainBlocklist, DOMAIN_LISTS } from "./blocklists.ts";

/** How far the session came: the step that failed, or `mail`. */
export type PreflightStep = "connect" | "greeting" | "ehlo" | "starttls" | "mail";

export type PreflightVerdict = "accepted" | "refused" | "deferred" | "unreachable" | "not_tried";

export interface ReceiverPreflight {
  profile: ReceiverProfile;
  verdict: PreflightVerdict;
  /** Null where nothing was tried. */
  step: PreflightStep | null;
  /** The receiver's words on one line, or the error without any; null where nothing was tried. */
  reply: string | null;
  /** What to do; null where there is nothing. */
  advice: string | null;
  /** The receiver's page about it. */
  url: string | null;
  /** Why nothing was tried; absent otherwise. */
  untried?: string;
  /** Of an earlier result, which is not a new one because of its age: when it was found. Absent from others. */
  earlierAtMs?: number;
}

export interface BlocklistPreflight {
  list: string;
  /** Null where the list did not answer for this resolver. */
  listed: boolean | null;
  detail: string;
}

export interface AddressPreflight {
  /** Null where no public address of this server is known: the system chooses. */
  address: string | null;
  /** Whether sockets were bound to it; else the system chose, and what it chose must be translated to the address. */
  isBound: boolean;
  /** The confirmed reverse name; null without one. */
  ptr: string | null;
  ptrDetail: string;
  port25: "open" | "closed" | "unclear";
  blocklists: BlocklistPreflight[];
  receivers: ReceiverPreflight[];
}

/** An address that mail leaves from. */
export interface PreflightAddress {
  ip: string;
  /** For EHLO; that of the host if absent. */
  name?: string;
  /** What sockets are bound to, if that is not `ip`. */
  bind?: string | null;
}

export interface PreflightInput {
  /** The name for EHLO and MAIL; without a dot, an address's reverse name is used instead. */
  hostname: string;
  /** The addresses to try; empty where none is known. */
  addresses: readonly PreflightAddress[];
  profiles: readonly ReceiverProfile[];
  blocklists: readonly string[];
  resolver: Resolver;
  clock: Clock;
  /** Aborts when the time of the run is over. What is under way then ends as it stands; look-ups are the resolver's to end. */
  over: AbortSignal;
  smtpPort: number;
  allowPrivate: boolean;
  /** The addresses of this server's interfaces. */
  ownAddresses?: () => string[];
  /** Opens sockets, instead of the system's TCP. */
  connect?: Connect;
  /** A result that stands for a new one, so that the receiver is not tried; null or absent for none. */
  earlier?: (address: string | null, receiver: string) => Omit<ReceiverPreflight, "profile"> | null;
}

/** Of a whole run, so that it ends within 20 s. */
export const PREFLIGHT_LIMIT_MS = 18_000;
const TIMEOUTS = { connect: 5000, greeting: 12_000, ehlo: 6000, starttls: 6000, mail: 6000, quit: 1000 };
/** Exchangers tried until one accepts a connection. */
const EXCHANGERS_MAX = 2;
const REPLY_LENGTH_MAX = 300;

/** Never rejects. */
export async function runPreflight(input: PreflightInput): Promise<AddressPreflight[]> {
  const { connect = connectTcp, addresses, over } = input;
  const sockets = new Set<Socket>();
  const opened: Connect = (to) => {
    const socket = connect(to);
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    if (over.aborted) socket.destroy(new Error(OVER));
    return socket;
  };
  const end = (): void => {
    for (const socket of sockets) socket.destroy(new Error(OVER));
  };
  over.addEventListener("abort", end, { once: true });
  const tried = addresses.length === 0 ? [null] : addresses;
  try {
    return await Promise.all(tried.map((address) => examine(address, { ...input, connect: opened })));
  } finally {
    over.removeEventListener("abort", end);
  }
}

const OVER = `no reply within the ${PREFLIGHT_LIMIT_MS / 1000} s of the preflight`;

async function examine(
  tried: PreflightAddress | null,
  input: PreflightInput & { connect: Connect },
): Promise<AddressPreflight> {
  const { ip: address = null, name, bind = null } = tried ?? {};
  const reverse = address === null ? null : await lookUpReverseName(address, input.resolver);
  const hostname = name ?? ehloName(input.hostname, address, reverse);
  const trial = { ...input, hostname, address, bind };
  const [receivers, blocklists] = await Promise.all([
    Promise.all(input.profiles.map((profile) => tryReceiver(profile, trial))),
    lookUpBlocklists(address, hostname, input),
  ]);
  const ptr = reverse?.type === "confirmed" ? reverse.name : null;
  const port25 = portOf(receivers);
  const advised = port25 === "open" ? receivers.map(withOpenPort) : receivers;
  const isBound = localAddressFor(trial) !== null;
  return { address, isBound, ptr, ptrDetail: reverseText(address, reverse), port25, blocklists, receivers: advised };
}

function ehloName(hostname: string, address: string | null, reverse: ReverseName | null): string {
  if (hostname.includes(".")) return hostname;
  if (reverse?.type === "confirmed") return reverse.name;
  if (address === null) return hostname;
  return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
}

function reverseText(address: string | null, reverse: ReverseName | null): string {
  switch (reverse?.type) {
    case undefined:
      return "No public address of this server is known. Set SENDING_IPS, or --address.";
    case "confirmed":
      return `${address} has the name ${reverse.name}, which resolves back to it.`;
    case "unnamed":
      return `${address} has no reverse name (PTR). Many receivers reject such addresses: set one at the host's provider.`;
    case "unconfirmed":
      return `${address} has the reverse name ${reverse.names.join(", ")}, which does not resolve back to it. Correct one of the two.`;
    case "failure":
      return `The reverse name of ${address} could not be looked up (${reverse.code}).`;
  }
}

/** Open if any receiver accepted a connection. One that did not proves nothing of the others. */
function portOf(receivers: readonly ReceiverPreflight[]): AddressPreflight["port25"] {
  const tried = receivers.filter(({ verdict }) => verdict !== "not_tried");
  if (tried.some(({ step }) => step !== "connect")) return "open";
  return tried.length > 1 ? "closed" : "unclear";
}

/** A receiver that cannot be reached, where others can. */
const withOpenPort = (receiver: ReceiverPreflight): ReceiverPreflight =>
  receiver.step === "connect" && receiver.verdict === "unreachable" ? { ...receiver, advice: NOT_REACHED } : receiver;

const NOT_REACHED =
  "It accepted no connection, while others did: this may be how it rejects the address. Try again later.";

async function lookUpBlocklists(
  address: string | null,
  hostname: string,
  { blocklists, resolver }: PreflightInput,
): Promise<BlocklistPreflight[]> {
  const ofAddress =
    address === null
      ? []
      : blocklists.map((list) => ({ list, check: checkBlocklist(list, { resolver, sendingIps: [address] }) }));
  const lists = hostname.includes(".") && !hostname.startsWith("[") ? DOMAIN_LISTS : [];
  const ofDomain = lists.map((each) => ({ list: each.list, check: checkDomainBlocklist(each, hostname, resolver) }));
  return Promise.all(
    [...ofAddress, ...ofDomain].map(async ({ list, check }) => {
      const { state, detail } = await check;
      return { list, listed: state === "unclear" ? null : state === "problem", detail };
    }),
  );
}

interface Trial extends PreflightInput {
  connect: Connect;
  address: string | null;
  bind: string | null;
}

async function tryReceiver(profile: ReceiverProfile, trial: Trial): Promise<ReceiverPreflight> {
  const earlier = trial.earlier?.(trial.address, profile.name) ?? null;
  if (earlier !== null) return { profile, ...earlier };
  const targets = await exchangersOf(profile, trial);
  if (typeof targets === "string") return notTried(profile, targets);
  let last: ReceiverPreflight | null = null;
  for (const target of targets.slice(0, EXCHANGERS_MAX)) {
    last = await trySession(profile, target, trial);
    if (last.verdict !== "unreachable" || last.step !== "connect") return last;
  }
  return last ?? notTried(profile, "no server of it has an address of this family");
}

const notTried = (profile: ReceiverProfile, why: string): ReceiverPreflight => ({
  profile,
  verdict: "not_tried",
  step: null,
  reply: null,
  advice: `It was not tried: ${why}.`,
  url: null,
  untried: why,
});

interface Exchanger {
  host: string;
  address: string;
}

/** The exchangers to try, the preferred ones first, or why there is none. */
async function exchangersOf(profile: ReceiverProfile, trial: Trial): Promise<Exchanger[] | string> {
  const { example } = profile;
  if (example === undefined) return "each of its customers has separate servers";
  const names = await exchangerNames(example.domain, trial.resolver);
  if (typeof names === "string") return names;
  const family = trial.address !== null && isIPv6(trial.address) ? "IPv6" : "IPv4";
  const hosts = await Promise.all(
    names.slice(0, EXCHANGERS_MAX).map(async (host): Promise<Exchanger[]> => {
      const answer = await (family === "IPv4" ? trial.resolver.a(host) : trial.resolver.aaaa(host));
      const found = answer.type === "found" ? answer.records : [];
      const allowed = found.filter((address) => trial.allowPrivate || refusedRange(address) === null);
      return allowed.slice(0, 1).map((address) => ({ host, address }));
    }),
  );
  const targets = hosts.flat();
  return targets.length === 0 ? `its servers have no public ${family} address` : targets;
}

async function exchangerNames(domain: string, resolver: Resolver): Promise<string[] | string> {
  const mx = await resolver.mx(domain);
  if (mx.type === "failure") return `its servers could not be looked up (${mx.code})`;
  if (mx.type !== "found") return "the resolver knows no server of it";
  return mx.records.toSorted((a, b) => a.preference - b.preference).map(({ exchange }) => exchange);
}

async function trySession(
  profile: ReceiverProfile,
  { host, address }: Exchanger,
  trial: Trial,
): Promise<ReceiverPreflight> {
  const { hostname, smtpPort, clock, connect } = trial;
  const from = localAddressFor(trial);
  const opened = await openSession({
    mx: host,
    address,
    port: smtpPort,
    hostname,
    tls: "opportunistic",
    timeouts: TIMEOUTS,
    clock,
    connect,
    ...(from === null ? {} : { localAddress: from }),
  });
  if (opened.type !== "open") return ofFailure(profile, opened);
  const { session } = opened;
  try {
    return await tryMail(profile, session, hostname);
  } finally {
    await session.quit();
  }
}

/** Behind address translation, an address is no interface's, and the system chooses. */
function localAddressFor({ address, bind, ownAddresses = systemAddresses }: Trial): string | null {
  if (address === null || bind !== null) return bind;
  return ownAddresses().some((own) => isSameAddress(own, address)) ? address : null;
}

async function tryMail(profile: ReceiverProfile, session: Session, hostname: string): Promise<ReceiverPreflight> {
  const { connection, timeouts } = session;
  const sender = hostname.startsWith("[") ? "" : `postmaster@${hostname}`;
  const mail = await connection.command(`MAIL FROM:<${sender}>`, timeouts.mail);
  if (mail.type !== "reply") return unreachable(profile, "mail", mail.error);
  if (mail.reply.code >= 400) return refusal(profile, "mail", mail.reply);
  await connection.command("RSET", timeouts.quit);
  if (session.tls === null && profile.requiresTls === true) {
    const advice =
      "It rejects messages without TLS, and this session had none: look for what removes STARTTLS on the way.";
    return { ...accepted(profile, mail.reply), verdict: "refused", step: "starttls", advice };
  }
  return accepted(profile, mail.reply);
}

const accepted = (profile: ReceiverProfile, reply: SmtpReply): ReceiverPreflight => ({
  profile,
  verdict: "accepted",
  step: "mail",
  reply: lineOf(reply),
  advice: null,
  url: null,
});

function ofFailure(profile: ReceiverProfile, failure: OpenFailure): ReceiverPreflight {
  const { stage } = failure;
  if (failure.type === "refused") return refusal(profile, isStep(stage) ? stage : "ehlo", failure.reply);
  return unreachable(profile, isStep(stage) ? stage : "connect", failure.error);
}

const STEPS: readonly string[] = ["connect", "greeting", "ehlo", "starttls", "mail"] satisfies PreflightStep[];
const isStep = (stage: string): stage is PreflightStep => STEPS.includes(stage);

function unreachable(profile: ReceiverProfile, step: PreflightStep, error: string): ReceiverPreflight {
  const advice =
    step === "connect"
      ? "Ask the host's provider whether it blocks port 25."
      : "It accepted the connection and did not continue: some receivers treat unknown addresses so. Try again later.";
  return { profile, verdict: "unreachable", step, reply: cut(error), advice, url: null };
}

function refusal(profile: ReceiverProfile, step: PreflightStep, reply: SmtpReply): ReceiverPreflight {
  const isPermanent = reply.code >= 500;
  const { category } = classifyReply(reply, step);
  return {
    profile,
    verdict: isPermanent ? "refused" : "deferred",
    step,
    reply: lineOf(reply),
    advice: profile.advice ?? ADVICE[category] ?? (isPermanent ? GENERAL : LATER),
    url: (category === "reputation" ? profile.delistingUrl : undefined) ?? profile.sendersUrl ?? null,
  };
}

const LATER = "It may be temporary: try again in an hour.";
const GENERAL = "Read what it writes, and its page for senders.";
const ADVICE: Readonly<Record<string, string>> = {
  reputation: "It rejects this address. Ask for delisting at the page, or use another address.",
  authentication: "It wants a name for this address: a PTR record that resolves back, and the same name in EHLO.",
  rate_limited: LATER,
  greylisted: LATER,
};

function lineOf({ code, enhanced_code: enhanced, message }: SmtpReply): string {
  return cut([String(code), enhanced ?? "", message].filter((part) => part !== "").join(" "));
}

function cut(text: string): string {
  const line = text
    .slice(0, 2 * REPLY_LENGTH_MAX)
    .replace(/\s+/gu, " ")
    .trim();
  return line.length <= REPLY_LENGTH_MAX ? line : `${line.slice(0, REPLY_LENGTH_MAX - 1)}…`;
}

/** Such as "From 192.0.2.10, 11 of 12 receivers took the session; T-Online rejected the greeting: 554 …". */
export function preflightSummary(results: readonly AddressPreflight[]): string {
  return results.map(sentenceOf).join(" ");
}

export const closedPortText = (address: string | null): string =>
  `From ${address ?? "this server"}, no receiver can be reached: port 25 seems to be blocked.`;

/** The reason of most of those that were not tried. */
function whyNone(receivers: readonly ReceiverPreflight[]): string {
  const reasons = receivers.flatMap(({ untried }) => untried ?? []);
  const counted = reasons.map((reason) => ({ reason, count: reasons.filter((each) => each === reason).length }));
  return counted.sort((a, b) => b.count - a.count)[0]?.reason ?? "there is none";
}

function sentenceOf({ address, port25, receivers }: AddressPreflight): string {
  const from = `From ${address ?? "this server"}`;
  const tried = receivers.filter(({ verdict }) => verdict !== "not_tried");
  if (tried.length === 0) return `${from}, no receiver could be tried: ${whyNone(receivers)}.`;
  if (port25 === "closed") return closedPortText(address);
  const taken = tried.filter(({ verdict }) => verdict === "accepted").length;
  const others = tried.filter(({ verdict }) => verdict !== "accepted").map(otherText);
  return `${[`${from}, ${taken} of ${tried.length} receivers took the session`, ...others].join("; ")}.`;
}

function otherText({ profile, verdict, step, reply }: ReceiverPreflight): string {
  const what = step === null ? "" : STEP_NAMES[step];
  if (verdict === "unreachable") return `${profile.label} did not answer ${what}`;
  const words = trimEndOf(reply ?? "", ".;");
  return `${profile.label} ${verdict === "refused" ? "rejected" : "deferred"} ${what}: ${words}`;
}

const STEP_NAMES: Readonly<Record<PreflightStep, string>> = {
  connect: "the connection",
  greeting: "the greeting",
  ehlo: "EHLO",
  starttls: "STARTTLS",
  mail: "MAIL",
};

/** What a preflight cannot tell. */
export function preflightLimits(results: readonly AddressPreflight[]): string {
  const accepting = results.flatMap(({ receivers }) => receivers.filter(({ verdict }) => verdict === "accepted"));
  const later = accepting.filter(({ profile }) => profile.judgesAt === "later").map(({ profile }) => profile.label);
  const who = later.length === 0 ? "Some receivers" : [...new Set(later)].join(", ");
  return `A session shows nothing about the spam folder. ${who} judge an address only by the messages that it sends.`;
}
