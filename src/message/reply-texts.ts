/**
 * Texts in the replies of large providers and common mail servers, with their categories. The codes alone are often ambiguous:
 * a block and a missing mailbox can both be a 550 5.7.1. classifier.ts decides when a text counts.
 *
 * The first matching row decides, so a row precedes rows whose texts also occur in its replies. Texts are matched in
 * lower case, with runs of white space reduced to one space. A `*` matches up to 60 characters; the limit keeps matching
 * linear in time.
 */
import type { Category } from "./category.ts";

interface Row {
  category: Category;
  /** The providers and servers that use these texts, and what they mean by them. */
  usedBy: string;
  texts: readonly string[];
  /** The texts can mean nothing but that the mailbox does not exist; false if absent. */
  blamesAddress?: boolean;
}

const REPLY_TEXTS: readonly Row[] = [
  {
    category: "authentication",
    usedBy: "Google, which limits the rate of unauthenticated messages; GMX",
    texts: ["authentication didn't pass", "isn't aligned with", "dns ptr resource record"],
  },
  {
    category: "policy",
    usedBy: "Google, Microsoft 365: rules of the recipient's organisation",
    texts: [
      "not in whitelist for rcpt domain",
      "tls required for rcpt domain",
      "tenant allow block list",
      "not authenticated to send anonymous mail",
    ],
  },
  {
    category: "rate_limited",
    usedBy: "Microsoft 365",
    texts: [
      "recipient thread limit exceeded",
      "number of concurrent server connections",
      "temporarily rate limited",
      "rate limited due to ip",
      "server busy. please try again later",
      "exceeded the connection limit",
    ],
  },
  {
    category: "rate_limited",
    usedBy: "Google",
    texts: [
      "unusual rate of",
      "receiving mail too quickly",
      "receiving mail at a rate that",
      "sending quota exceeded",
      "exceeded the maximum number of messages",
      "relay limit exceeded",
      "per transaction exceeded",
    ],
  },
  {
    category: "rate_limited",
    usedBy: "Yahoo, AOL",
    texts: ["[tss04]", "unexpected volume or user complaints", "deferred due to excessive", "temporarily deferred - "],
  },
  {
    category: "rate_limited",
    usedBy: "QQ, NetEase, Orange, Comcast, Postfix, Exim, generic",
    texts: [
      "frequency limited",
      "too many connections",
      "too many concurrent",
      "too many simultaneous",
      "too many sessions",
      "too many messages",
      "too many recipients",
      "too many mails",
      "too much mail",
      "too much email",
      "connection rate limit",
      "rate limit",
      "rate-limit",
      "ratelimit",
      "throttl",
      "try again later, rate",
      "sending too fast",
      "exceeded * per hour",
      "hourly limit",
      "daily limit",
    ],
  },
  {
    category: "greylisted",
    usedBy: "Postgrey, rspamd, Exim, Mimecast, SpamAssassin front ends",
    texts: [
      "greylist",
      "graylist",
      "grey-list",
      "grey list",
      "come back later",
      "try again in * seconds",
      "try again in * minutes",
      "delayed for * seconds",
      "intentional policy rejection, please try again",
      "internal resources are temporarily unavailable",
    ],
  },
  {
    category: "reputation",
    usedBy: "Microsoft",
    texts: [
      "part of their network is on our block list",
      "banned sending ip",
      "banned sender",
      "traffic not accepted from this ip",
      "(s3140)",
      "(s3150)",
      "access denied, bad outbound sender",
    ],
  },
  {
    category: "reputation",
    usedBy: "Google",
    texts: [
      "very low reputation",
      "low reputation of the sending",
      "likely suspicious due to",
      "not authorized to send email directly",
    ],
  },
  {
    category: "reputation",
    usedBy: "Yahoo, AOL",
    texts: ["will be permanently deferred", "[ts0", "[bl2", "unacceptable traffic", "excessive unknown recipients"],
  },
  {
    category: "reputation",
    usedBy: "GMX, web.de, T-Online, Apple, Orange, Comcast, NetEase",
    texts: [
      "ip address is block listed",
      "ip address is blocklisted",
      "ip address is blacklisted",
      "no smtp service",
      "tosa@rx.t-online.de",
      "[hm08]",
      "nemesis esmtp service not available reject due to policy violations",
      "ofr_506",
      "ofr_108",
      "lpn007_510",
      "ofr004_",
      "hl:rep",
      "bl000010",
      "poor reputation",
      "bad reputation",
      "low reputation",
      "reputation",
    ],
  },
  {
    category: "reputation",
    usedBy: "users of Spamhaus, SpamCop, Barracuda, Cloudmark, Proofpoint, Cisco, Trend Micro and other lists",
    texts: [
      "spamhaus",
      "spamcop",
      "barracudacentral",
      "barracuda reputation",
      "csi.cloudmark.com",
      "ipcheck.proofpoint.com",
      "senderbase",
      "talosintelligence",
      "sorbs",
      "uceprotect",
      "abusix",
      "invaluement",
      "mail-abuse.com",
      "surriel",
      "dnsbl",
      "dnsbls",
      "rbl",
      "blocked using",
      "listed at",
      "listed by",
      "listed in",
      "blocklist",
      "block list",
      "blacklist",
      "black list",
      "denylist",
      "your ip * blocked",
      "your ip * rejected",
      "ip address * blocked",
      "ip * has been blocked",
      "client host * blocked",
      "client host rejected: access denied",
      "dynamic ip",
      "dynamic hostname",
      "ip rejected",
      "ip is rejected",
      "suspected bounce attack",
    ],
  },
  {
    category: "authentication",
    usedBy: "Google, Yahoo, Microsoft, Postfix, rspamd, generic",
    texts: [
      "dmarc",
      "dkim",
      "spf",
      "unauthenticated email",
      "not authenticated",
      "required authentication level",
      "ptr record",
      "ptr resource record",
      "reverse dns",
      "reverse hostname",
      "reverse host name",
      "rdns",
      "cannot find your hostname",
      "cannot find your reverse",
      "forward-confirmed",
      "anti-spoofing",
      "spoofed",
      "spoofing",
    ],
  },
  {
    category: "network",
    usedBy: "Postfix, Exim, qmail, Microsoft 365: internal errors of the host",
    texts: [
      "insufficient disk",
      "insufficient system storage",
      "temporary lookup failure",
      "temporary local problem",
      "temporary server error",
      "trouble in home directory",
    ],
  },
  {
    category: "policy",
    usedBy: "Postfix, Exim, QQ, generic: about the sender's address, not the recipient's",
    texts: [
      "domain may not exist",
      "reject due to policy restrictions",
      "sender address rejected",
      "sender rejected",
      "sender denied",
      "sender domain",
      "sender verify",
      "sender * does not exist",
    ],
  },
  {
    category: "mailbox_full",
    usedBy: "Google, Microsoft, Yahoo, Apple, Dovecot, Exim, cPanel, generic",
    texts: [
      "over quota",
      "overquota",
      "over its quota",
      "out of storage",
      "mailbox full",
      "mailbox is full",
      "mailbox * full",
      "inbox is full",
      "quota exceeded",
      "exceeded * quota",
      "exceeds * quota",
      "exceeded storage",
      "exceeded its storage",
      "exceeded their storage",
      "quota for this mailbox",
      "not enough * mailbox",
      "storage quota",
      "recipient storage full",
      "zuviele mails auf dem server",
    ],
  },
  {
    category: "mailbox_disabled",
    usedBy: "Google, Yahoo, Mimecast, generic",
    texts: [
      "account that you tried to reach is disabled",
      "account that you tried to reach is inactive",
      "mailbox is disabled",
      "mailbox disabled",
      "mailbox * disabled",
      "mailbox is inactive",
      "mailbox inactive",
      "mailbox * suspended",
      "mailbox is locked",
      "account is disabled",
      "account disabled",
      "account * disabled",
      "account * suspended",
      "account * deactivated",
      "account is inactive",
      "account inactive",
      "account * locked",
      "account * expired",
      "account * closed",
      "account * inactivity",
      "account suspended",
      "account closed",
      "user suspended",
      "user is disabled",
      "user * suspended",
      "user disabled",
      "inbounds disabled",
    ],
  },
  {
    category: "bad_address",
    usedBy: "Microsoft 365, where the directory lacks the address",
    texts: [
      "recipient address rejected: access denied",
      "recipientnotfound",
      "recipient not found",
      "not found by smtp address lookup",
    ],
  },
  {
    category: "bad_address",
    usedBy: "Google, Yahoo, Apple, Postfix, Exim, Sendmail, qmail, QQ, generic: the mailbox does not exist",
    blamesAddress: true,
    texts: [
      "user unknown",
      "unknown user",
      "unknown recipient",
      "recipient unknown",
      "unknown mailbox",
      "unknown account",
      "no such user",
      "no such recipient",
      "no such mailbox",
      "no such account",
      "no such person",
      "no mailbox here",
      "no account by that name",
      "not a known user",
      "not a valid user",
      "not a valid mailbox",
      "not a valid recipient",
      "not our customer",
      "user not found",
      "user * not found",
      "mailbox not found",
      "mailbox * does not exist",
      "does not have an account",
      "doesn't have a * account",
      "invalid mailbox",
      "invalid user",
      "user doesn't have",
      "utilisateur inconnu",
      "usuario desconocido",
      "utente sconosciuto",
      "konto nicht vorhanden",
      "empfänger unbekannt",
    ],
  },
  {
    category: "bad_address",
    usedBy: "the same, about the address or its domain, which may be the sender's fault or temporary",
    texts: [
      "unknown address",
      "address unknown",
      "unknown local",
      "unknown or illegal",
      "unknown or invalid",
      "no such address",
      "no such local",
      "mailbox unavailable",
      "mailbox name not allowed",
      "address not found",
      "account not found",
      "does not exist",
      "doesn't exist",
      "invalid recipient",
      "invalid address",
      "bad destination mailbox",
      "recipient address rejected: unverified address",
      "recipient address rejected: undeliverable",
      "unrouteable address",
      "unroutable address",
      "permanent failure for one or more recipients",
    ],
  },
  {
    category: "too_large",
    usedBy: "Google, Microsoft, Postfix, Exim, generic",
    texts: [
      "message size exceeds",
      "message exceeds * size",
      "size limit",
      "message too large",
      "message is too large",
      "message too big",
      "message is too big",
      "larger than the",
      "maximum message size",
      "exceeds maximum size",
    ],
  },
  {
    category: "content",
    usedBy: "Google, Microsoft, Yahoo, Apple, Proofpoint, SpamAssassin, ClamAV, NetEase, QQ, generic",
    texts: [
      "likely unsolicited mail",
      "security issue",
      "rfc 5322",
      "rfc5322",
      "[cs01]",
      "[cs02]",
      "dt:spm",
      "mail content denied",
      "ofr_416",
      "spam",
      "virus",
      "malware",
      "phish",
      "content",
      "attachment",
      "executable",
      "suspicious",
      "unsolicited",
      "malformed",
      "message id",
      "header",
    ],
  },
  {
    category: "policy",
    usedBy: "Postfix, Exim, Microsoft 365, generic",
    texts: [
      "relay",
      "relaying",
      "sender * not allowed",
      "allowed rcpthosts",
      "not authorized",
      "not permitted",
      "authentication required",
      "starttls",
      "encryption",
      "helo",
      "policy",
      "policies",
      "administrative prohibition",
      "administratively",
      "blocked",
    ],
  },
];

const COMPILED = REPLY_TEXTS.map(({ category, texts, blamesAddress = false }) => ({
  ...{ category, blamesAddress },
  pattern: new RegExp(texts.map(source).join("|"), "u"),
}));

function source(text: string): string {
  const escaped = text.replace(/[.[\]()\\/+?^$|{}]/gu, "\\$&").replaceAll("*", ".{0,60}");
  // Short texts match whole words only: "rbl" must not match "curblanguage".
  return text.length <= 5 ? `(?<![a-z])${escaped}(?![a-z])` : escaped;
}

/** Categories that concern a recipient. Before RCPT TO a host cannot mean one. */
const RECIPIENT_CATEGORIES: ReadonlySet<Category> = new Set(["mailbox_full", "mailbox_disabled", "bad_address"]);

export interface TextMatch {
  category: Category;
  blamesAddress: boolean;
  /** What matched, in lower case. */
  text: string;
}

/**
 * Returns what is known about a reply's text, or null if it is unknown. `message` has a bounded length (smtp/reply.ts).
 * Before RCPT TO, only texts about the session, the sender and the message count.
 */
export function matchText(message: string, { isBeforeRcpt }: { isBeforeRcpt: boolean }): TextMatch | null {
  const text = withoutAddresses(message).toLowerCase().replace(/\s+/gu, " ");
  for (const { category, blamesAddress, pattern } of COMPILED) {
    if (isBeforeRcpt && RECIPIENT_CATEGORIES.has(category)) continue;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { category, blamesAddress, text: found };
  }
  return null;
}

/** Removes addresses that the reply repeats: their words are not the host's. */
function withoutAddresses(message: string): string {
  return message
    .split(/(?<=\s)|(?=\s)/u)
    .filter((word) => !/^<?[^[\]:/]*@/u.test(word) || word.startsWith("tosa@"))
    .join("");
}
