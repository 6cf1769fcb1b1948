/**
 * What large providers and common mail servers write in their replies, and which category each text means. Their codes
 * alone often say less: a block and a missing mailbox can both be a 550 5.7.1. category.ts decides when a text counts.
 *
 * Rows are read from top to bottom and the first that matches decides: a row stands above another whose texts it would
 * otherwise meet by accident. Texts are matched in lower case, with white space folded to one space. A `*` stands for up to
 * 60 characters, so that matching takes linear time.
 */
import type { Category } from "./category.ts";

interface Row {
  category: Category;
  /** Who writes it. */
  writer: string;
  texts: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    category: "rate_limited",
    writer: "Microsoft 365",
    texts: [
      "temporarily rate limited",
      "rate limited due to ip",
      "server busy. please try again later",
      "exceeded the connection limit",
    ],
  },
  {
    category: "rate_limited",
    writer: "Google",
    texts: [
      "unusual rate of",
      "receiving mail too quickly",
      "receiving mail at a rate that",
      "sending quota exceeded",
      "exceeded the maximum number of messages",
    ],
  },
  {
    category: "rate_limited",
    writer: "Yahoo, AOL",
    texts: ["[tss04]", "unexpected volume or user complaints", "deferred due to excessive"],
  },
  {
    category: "rate_limited",
    writer: "QQ, NetEase, Orange, Comcast, Postfix, Exim, generic",
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
    writer: "Postgrey, rspamd, Exim, Mimecast, SpamAssassin front ends",
    texts: [
      "greylist",
      "graylist",
      "grey-list",
      "grey list",
      "come back later",
      "try again in * seconds",
      "try again in * minutes",
      "delayed for * seconds",
    ],
  },
  {
    category: "reputation",
    writer: "Microsoft",
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
    writer: "Google",
    texts: ["very low reputation", "low reputation of the sending", "likely suspicious due to"],
  },
  {
    category: "reputation",
    writer: "Yahoo, AOL",
    texts: ["will be permanently deferred", "[ts0", "[bl2", "unacceptable traffic"],
  },
  {
    category: "reputation",
    writer: "GMX, web.de, T-Online, Apple, Orange, Comcast, NetEase",
    texts: [
      "ip address is block listed",
      "ip address is blocklisted",
      "ip address is blacklisted",
      "no smtp service",
      "tosa@rx.t-online.de",
      "[hm08]",
      "ofr_506",
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
    writer: "users of Spamhaus, SpamCop, Barracuda, Cloudmark, Proofpoint, Cisco, Trend Micro and other lists",
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
    ],
  },
  {
    category: "authentication",
    writer: "Google, Yahoo, Microsoft, Postfix, rspamd, generic",
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
    category: "policy",
    writer: "Postfix, Exim, generic: of the sender's address, not the recipient's",
    texts: [
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
    writer: "Google, Microsoft, Yahoo, Apple, Dovecot, Exim, cPanel, generic",
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
    ],
  },
  {
    category: "mailbox_disabled",
    writer: "Google, Yahoo, Mimecast, generic",
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
      "user is disabled",
      "user * suspended",
      "user disabled",
      "inbounds disabled",
    ],
  },
  {
    category: "bad_address",
    writer: "Microsoft 365, where the directory lacks the address",
    texts: [
      "recipient address rejected: access denied",
      "recipientnotfound",
      "recipient not found",
      "not found by smtp address lookup",
    ],
  },
  {
    category: "bad_address",
    writer: "Google, Yahoo, Apple, Postfix, Exim, Sendmail, qmail, QQ, generic",
    texts: [
      "user unknown",
      "unknown user",
      "unknown recipient",
      "recipient unknown",
      "unknown mailbox",
      "unknown account",
      "unknown address",
      "address unknown",
      "unknown local",
      "unknown or illegal",
      "unknown or invalid",
      "no such user",
      "no such recipient",
      "no such mailbox",
      "no such account",
      "no such address",
      "no such person",
      "no such local",
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
      "mailbox unavailable",
      "mailbox * does not exist",
      "mailbox name not allowed",
      "address not found",
      "account not found",
      "does not exist",
      "doesn't exist",
      "does not have an account",
      "doesn't have a * account",
      "invalid recipient",
      "invalid mailbox",
      "invalid user",
      "invalid address",
      "bad destination mailbox",
      "recipient address rejected: unverified address",
      "recipient address rejected: undeliverable",
      "user doesn't have",
      "unrouteable address",
      "unroutable address",
      "permanent failure for one or more recipients",
      "utilisateur inconnu",
      "empfänger unbekannt",
    ],
  },
  {
    category: "too_large",
    writer: "Google, Microsoft, Postfix, Exim, generic",
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
    writer: "Google, Microsoft, Yahoo, Apple, Proofpoint, SpamAssassin, ClamAV, NetEase, QQ, generic",
    texts: [
      "likely unsolicited mail",
      "security issue",
      "rfc 5322",
      "rfc5322",
      "[cs01]",
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
    writer: "Postfix, Exim, Microsoft 365, generic",
    texts: [
      "relay",
      "relaying",
      "sender * not allowed",
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

const COMPILED = ROWS.map(({ category, texts }) => ({
  category,
  pattern: new RegExp(texts.map(source).join("|"), "u"),
}));

function source(text: string): string {
  const escaped = text.replace(/[.[\]()\\/+?^$|{}]/gu, "\\$&").replaceAll("*", ".{0,60}");
  // A word that begins or ends with a letter is matched whole where it is short: "rbl" is not in "curb language".
  return text.length <= 5 ? `(?<![a-z])${escaped}(?![a-z])` : escaped;
}

/** What speaks of a recipient; where none has been named yet, the host cannot mean one. */
const OF_RECIPIENTS: ReadonlySet<Category> = new Set(["mailbox_full", "mailbox_disabled", "bad_address"]);

/**
 * The category that a reply's text means, or null when it is none of the known ones. `message` has a bounded length
 * (smtp/reply.ts). Before RCPT only texts about the session, the sender and the message count.
 */
export function categoryOfText(message: string, { isBeforeRcpt }: { isBeforeRcpt: boolean }): Category | null {
  const text = withoutAddresses(message).toLowerCase().replace(/\s+/gu, " ");
  const rows = isBeforeRcpt ? COMPILED.filter(({ category }) => !OF_RECIPIENTS.has(category)) : COMPILED;
  return rows.find(({ pattern }) => pattern.test(text))?.category ?? null;
}

/** The words of an address that a reply repeats are the recipient's, not the host's. */
function withoutAddresses(message: string): string {
  return message
    .split(/(?<=\s)|(?=\s)/u)
    .filter((word) => !/^<?[^[\]:/]*@/u.test(word) || word.startsWith("tosa@"))
    .join("");
}
