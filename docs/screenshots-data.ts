/**
 * The data that the screenshots show: accounts with domains and keys, a day of messages, and one message to look at.
 * Everything is written through the spool's port with times in the past. Counts and times come from a seeded generator,
 * so that every run gives the same charts.
 */
import { bindDomain } from "../src/app/domains/bind-domain.ts";
import { verifyNow } from "../src/app/domains/verify-domain.ts";
import type { CheckContext } from "../src/domains/check.ts";
import { recordsToPublish } from "../src/domains/records.ts";
import { compose } from "../src/message/compose/compose.ts";
import { messageId as newMessageId } from "../src/message/ids.ts";
import type { Category } from "../src/message/result/category.ts";
import type { HostAttempt, SmtpReply, Stage, TlsRecord } from "../src/message/result/outcome.ts";
import { validateSendRequest } from "../src/message/send-request/send-request-validation.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import type { Vault } from "../src/security/vault.ts";
import type { openSqliteSpool } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Domain } from "../src/spool/port/domains.ts";
import type { Lease, Settlement } from "../src/spool/port/mail.ts";
import type { ZoneServer } from "../src/testing/zone-server.ts";
import { cheapHash } from "../test/support/cheap-hash.ts";

export const OPERATOR = { email: "sam@example.com", password: "correct horse battery" };
export const WRONG_DOMAIN = "example.org";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const EXPIRES_MS = 2 * DAY_MS;
const MAX = { domainsMax: 10, keysMax: 10, usersMax: 10 };

type OpenSpool = Awaited<ReturnType<typeof openSqliteSpool>>;

export interface Target {
  spool: OpenSpool;
  vault: Vault;
  zone: ZoneServer;
  context: CheckContext;
  /** The moment that the screenshots show. */
  nowMs: number;
}

interface Sender {
  accountId: string;
  keyId: string;
  domain: Domain;
  /** Messages an hour at the busiest time of the day. */
  peak: number;
  templates: Template[];
}

/** Fills an empty spool. Returns the id of the message to look at. */
export async function fillSpool(target: Target): Promise<string> {
  const { spool, nowMs } = target;
  const shop = await addSender(target, {
    account: "shop",
    domain: "example.com",
    peak: 260,
    templates: SHOP_TEMPLATES,
  });
  const booking = await addSender(target, {
    account: "booking",
    domain: "example.net",
    peak: 80,
    templates: BOOKING_TEMPLATES,
  });
  const { email, password } = OPERATOR;
  const passwordHash = cheapHash(password);
  await spool.createUser({
    email,
    accountId: shop.accountId,
    passwordHash,
    operator: true,
    createdAtMs: nowMs - DAY_MS,
    ...MAX,
  });
  await addWrongDomain(target, shop.accountId);
  for (const sender of [shop, booking]) await addDay(target, sender);
  await addWaiting(target, shop);
  await addUnknown(target, shop);
  return addShownMessage(target, shop);
}

async function addSender(
  { spool, vault, zone, context, nowMs }: Target,
  { account, domain: name, ...rest }: Pick<Sender, "peak" | "templates"> & { account: string; domain: string },
): Promise<Sender> {
  const createdAtMs = nowMs - 3 * DAY_MS;
  const made = await spool.createAccount(account, createdAtMs);
  if (made === "exists") throw new Error(`the account ${account} exists`);
  const domain = await bind({ spool, vault }, { accountId: made.id, name, nowMs: createdAtMs });
  for (const record of recordsToPublish(domain, context)) zone.set(record.name, record.type, [record.value]);
  zone.set(`mail.${name}`, "A", ["192.0.2.25"]);
  const { checks, verified } = await verifyNow(spool, domain, { context, nowMs: nowMs - HOUR_MS });
  if (!verified) throw new Error(`${name} did not verify: ${JSON.stringify(checks)}`);
  const { hash, lastFour } = newApiKey();
  const key = await spool.createKey({ accountId: made.id, name: "website", hash, lastFour, createdAtMs, ...MAX });
  if (key === "too_many") throw new Error("too many keys");
  return { accountId: made.id, keyId: key.id, domain, ...rest };
}

async function bind(
  { spool, vault }: Pick<Target, "spool" | "vault">,
  { accountId, name, nowMs }: { accountId: string; name: string; nowMs: number },
): Promise<Domain> {
  const bound = await bindDomain(spool, vault, { accountId, name, nowMs, ...MAX });
  if (bound.type !== "bound") throw new Error(`${name} could not be bound: ${bound.type}`);
  return bound.domain;
}

/** A domain with the usual mistakes: SPF without this host, a DKIM key cut at 255 characters, no DMARC record. */
async function addWrongDomain({ spool, vault, zone, context, nowMs }: Target, accountId: string): Promise<void> {
  const domain = await bind({ spool, vault }, { accountId, name: WRONG_DOMAIN, nowMs: nowMs - HOUR_MS });
  const values = new Map(recordsToPublish(domain, context).map((record) => [record.check, record]));
  for (const check of ["ownership", "mx", "dkim"] as const) {
    const record = values.get(check);
    if (record !== undefined) zone.set(record.name, record.type, [record.value.slice(0, 255)]);
  }
  zone.set(`mail.${WRONG_DOMAIN}`, "A", ["192.0.2.25"]);
  zone.set(WRONG_DOMAIN, "TXT", ["v=spf1 include:_spf.newsletter.example -all"]);
  zone.set("_spf.newsletter.example", "TXT", ["v=spf1 ip4:198.51.100.0/24 -all"]);
  await verifyNow(spool, domain, { context, nowMs: nowMs - 2 * MINUTE_MS });
}

interface Template {
  from: string;
  subject: (n: number) => string;
  text: string;
}

const SHOP_TEMPLATES: Template[] = [
  { from: "accounts", subject: () => "Welcome to Example Shop", text: "Please confirm your email address." },
  { from: "accounts", subject: () => "Reset your password", text: "Use this link within 30 minutes." },
  { from: "orders", subject: (n) => `We received your order ${n}`, text: "Thank you for your order." },
  { from: "orders", subject: (n) => `Your order ${n} has shipped`, text: "Your parcel left our warehouse." },
  { from: "billing", subject: (n) => `Invoice ${n}`, text: "Your invoice is attached to your account." },
];

const BOOKING_TEMPLATES: Template[] = [
  { from: "hello", subject: (n) => `Booking ${n} confirmed`, text: "We look forward to your stay." },
  { from: "hello", subject: () => "Your stay begins tomorrow", text: "Check-in opens at 15:00." },
  { from: "accounts", subject: () => "Sign in to Example Stays", text: "Use this link within 10 minutes." },
];

const NAMES = "ada ben carla david elena felix grace hugo ines jonas kira liam mona noah olga paul rosa tom".split(" ");
const SURNAMES = "berg costa dahl evans fischer garcia haas ivers jensen kowalski lopez moreau novak okafor".split(" ");
const DOMAINS = ["mail.example", "mail.example", "mail.example", "inbox.example", "inbox.example", "post.example"];
const TLS: TlsRecord = { protocol: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: true };
const IPS: Record<string, string> = {
  "mail.example": "198.51.100.25",
  "inbox.example": "203.0.113.40",
  "post.example": "203.0.113.81",
  "university.example": "198.51.100.130",
  "wholesale.example": "203.0.113.7",
};

/** Mulberry32: numbers from 0 to below 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The share of the peak at an hour of the day: little at night, most before noon and in the evening. */
function loadAt(atMs: number): number {
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const hill = (at: number, width: number): number => Math.exp(-(((hour - at) / width) ** 2));
  return 0.08 + 0.75 * hill(11, 3) + 0.85 * hill(19.5, 2.5);
}

/** Recipients' servers take longer in the middle of the morning. */
function slownessAt(atMs: number): number {
  const hour = (atMs % DAY_MS) / HOUR_MS;
  return 1 + 2.2 * Math.exp(-(((hour - 9.7) / 0.6) ** 2));
}

/** A day of messages to one recipient each, until a minute ago. */
async function addDay(target: Target, sender: Sender): Promise<void> {
  const random = seeded(sender.peak);
  const writes: Promise<unknown>[] = [];
  let n = 20_410;
  for (let atMs = target.nowMs - DAY_MS - HOUR_MS; atMs < target.nowMs - 2 * MINUTE_MS; ) {
    n += 1;
    writes.push(addSettled(target, sender, { atMs, n, random }));
    const perHour = sender.peak * loadAt(atMs);
    atMs += Math.round(-Math.log(1 - random()) * (HOUR_MS / perHour));
  }
  await Promise.all(writes);
}

async function addSettled(
  target: Target,
  sender: Sender,
  { atMs, n, random }: { atMs: number; n: number; random: () => number },
): Promise<void> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const domain = pick(DOMAINS);
  const email = `${pick(NAMES)}.${pick(SURNAMES)}@${domain}`;
  const template = pick(sender.templates);
  const tookMs = Math.round(450 * Math.exp(1.1 * random() + 1.4 * random() ** 6) * slownessAt(atMs));
  const fate = random();
  const id = await accept(target, sender, { atMs, to: [email], template, n });
  if (fate < 0.02) {
    const failure = fate < 0.014 ? NO_SUCH_USER : MAILBOX_FULL;
    await settle(target, id, atMs + tookMs, [failed(0, domain, failure)]);
    return;
  }
  if (fate < 0.023) {
    await settle(target, id, atMs + tookMs, [
      deferred(0, domain, { ...GREYLISTED, nextMs: atMs + MINUTE_MS + tookMs }),
    ]);
    await settle(target, id, atMs + MINUTE_MS + 2 * tookMs, [delivered(0, domain)]);
    return;
  }
  await settle(target, id, atMs + tookMs, [delivered(0, domain)]);
}

interface Acceptance {
  atMs: number;
  to: string[];
  cc?: string[];
  template: Template;
  n?: number;
  html?: string;
}

async function accept(
  { spool }: Target,
  { accountId, keyId, domain }: Sender,
  { atMs, to, cc = [], template, n = 0, html }: Acceptance,
): Promise<string> {
  const id = newMessageId(atMs, bytes);
  const messageId = `<${id.slice(4)}@${domain.name}>`;
  const from = `${template.from}@${domain.name}`;
  const subject = template.subject(n);
  const copies = cc.length === 0 ? {} : { cc };
  const body = { from: `Example Shop <${from}>`, to, ...copies, subject, text: template.text, ...(html && { html }) };
  const read = validateSendRequest(body, { recipientsMax: 10 });
  if (read.type !== "valid") throw new Error(`the message "${subject}" is invalid`);
  const recipient = (email: string, field: "to" | "cc") => ({ email, domain: email.split("@")[1] ?? "", field });
  const content = compose(read.submission, { messageId, date: new Date(atMs), boundary: "screenshot" });
  const accepted = await spool.accept({
    id,
    accountId,
    keyId,
    domainId: domain.id,
    from,
    subject,
    messageId,
    createdAtMs: atMs,
    expiresAtMs: atMs + EXPIRES_MS,
    idempotency: null,
    quotaDaily: 0,
    suppressAfter: 3,
    recipients: [...to.map((email) => recipient(email, "to")), ...cc.map((email) => recipient(email, "cc"))],
    content: content.bytes,
    bodyHash: content.bodyHash,
  });
  if (accepted.type !== "accepted") throw new Error(`the message was not accepted: ${accepted.type}`);
  return id;
}

/** The last lease of each message. */
const leases = new Map<string, Lease>();

/** Settles recipients under their lease; claims all messages if it has ended, or if there is none yet. */
async function settle({ spool, nowMs }: Target, id: string, atMs: number, settlements: Settlement[]): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const lease = leases.get(id);
    return lease !== undefined && (await spool.settle(id, atMs, settlements, lease)) === "settled";
  };
  if (await isSettled()) return;
  const { jobs } = await spool.claim({ nowMs: nowMs + DAY_MS, limit: 100_000, perDomain: 100_000, allowance: {} });
  for (const { messageId, lease } of jobs) leases.set(messageId, lease);
  if (!(await isSettled())) throw new Error(`${id} cannot be settled`);
}

const randomByte = seeded(7);
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(randomByte() * 256)));

interface Refusal {
  reason: string;
  category: Category;
  code: number;
  enhanced: string;
  words: string;
}

const NO_SUCH_USER: Refusal = {
  reason: "recipient_refused",
  category: "bad_address",
  code: 550,
  enhanced: "5.1.1",
  words: "No such user here",
};
const MAILBOX_FULL: Refusal = {
  reason: "recipient_refused",
  category: "mailbox_full",
  code: 552,
  enhanced: "5.2.2",
  words: "Mailbox is over its quota",
};
const GREYLISTED: Refusal = {
  reason: "temporarily_refused",
  category: "greylisted",
  code: 450,
  enhanced: "4.7.1",
  words: "Greylisted, please try again in a minute",
};
const RATE_LIMITED: Refusal = {
  reason: "temporarily_refused",
  category: "rate_limited",
  code: 421,
  enhanced: "4.7.28",
  words: "Too many messages from your address, try again later",
};

function tryAt(domain: string, end: { stage: Stage; reply?: SmtpReply; error?: string }): HostAttempt {
  const { stage, reply = null, error = null } = end;
  const [mx, ip] = [`mx1.${domain}`, IPS[domain] ?? "203.0.113.99"];
  return { mx, ip, tls: stage === "connect" ? null : TLS, stage, reply, error, note: null, policy: "none" };
}

const recordOf = ({ mx, ip, reply }: HostAttempt) => (reply === null ? null : { ...reply, mx, ip, tls: TLS.protocol });

function refusedBy(domain: string, { code, enhanced, words }: Refusal): HostAttempt {
  return tryAt(domain, { stage: "rcpt", reply: { code, enhanced_code: enhanced, message: words } });
}

function delivered(position: number, domain: string): Settlement {
  const tried = tryAt(domain, {
    stage: "final_dot",
    reply: { code: 250, enhanced_code: "2.0.0", message: `Ok: queued as 4ZD${bytes(6).toString("hex").toUpperCase()}` },
  });
  const shared = {
    position,
    nextAttemptAtMs: null,
    reason: null,
    category: null,
    smtp: recordOf(tried),
    tries: [tried],
  };
  return { ...shared, result: "delivered", outcome: "delivered" };
}

function failed(position: number, domain: string, refusal: Refusal): Settlement {
  const tried = refusedBy(domain, refusal);
  const { reason, category } = refusal;
  const shared = { position, nextAttemptAtMs: null, reason, category, smtp: recordOf(tried), tries: [tried] };
  return { ...shared, result: "failed", outcome: "failed" };
}

function deferred(position: number, domain: string, { nextMs, ...refusal }: Refusal & { nextMs: number }): Settlement {
  const tried = refusedBy(domain, refusal);
  const { reason, category } = refusal;
  const shared = { position, nextAttemptAtMs: nextMs, reason, category, smtp: recordOf(tried), tries: [tried] };
  return { ...shared, result: "pending", outcome: "deferred" };
}

/** Recipients of three destinations that wait for another attempt. */
async function addWaiting(target: Target, shop: Sender): Promise<void> {
  const { nowMs } = target;
  const waiting = [
    ...["leo.brandt", "mia.keller", "nils.otto", "ida.wolf", "emil.lang"].map((name) => ({
      name,
      domain: "post.example",
    })),
    ...["j.whitfield", "a.tanaka", "p.moreau"].map((name) => ({ name, domain: "university.example" })),
    ...["purchasing", "returns"].map((name) => ({ name, domain: "wholesale.example" })),
  ];
  for (const [i, { name, domain }] of waiting.entries()) {
    const atMs = nowMs - (4 + 3 * i) * MINUTE_MS;
    const template = SHOP_TEMPLATES[i % SHOP_TEMPLATES.length] as Template;
    const id = await accept(target, shop, { atMs, to: [`${name}@${domain}`], template, n: 20_980 + i });
    const nextMs = nowMs + (6 + 2 * i) * MINUTE_MS;
    await settle(target, id, atMs + 2 * SECOND_MS, [waitingAt(domain, nextMs)]);
  }
}

function waitingAt(domain: string, nextMs: number): Settlement {
  if (domain === "post.example") return deferred(0, domain, { ...RATE_LIMITED, nextMs });
  if (domain === "university.example") return deferred(0, domain, { ...GREYLISTED, nextMs });
  const tries = [tryAt(domain, { stage: "connect", error: "no connection within 30 s" })];
  const why = { reason: "connection_failed", category: "network" as const, smtp: null };
  return { position: 0, nextAttemptAtMs: nextMs, ...why, tries, result: "pending", outcome: "deferred" };
}

/** Recipients whose server did not answer the final dot. */
async function addUnknown(target: Target, shop: Sender): Promise<void> {
  for (const [i, name] of ["vera.lind", "otto.brandt"].entries()) {
    const atMs = target.nowMs - (5 + 2 * i) * HOUR_MS;
    const template = SHOP_TEMPLATES[3 + i] as Template;
    const id = await accept(target, shop, { atMs, to: [`${name}@inbox.example`], template, n: 20_700 + i });
    const tries = [tryAt("inbox.example", { stage: "final_dot", error: "the connection was closed" })];
    const why = { reason: "connection_lost_after_final_dot", category: "network" as const, smtp: null };
    const settlement = { position: 0, nextAttemptAtMs: null, ...why, tries };
    await settle(target, id, atMs + 3 * SECOND_MS, [{ ...settlement, result: "unknown", outcome: "unknown" }]);
  }
}

const HTML = `<p>Hello Grace,</p><p>your parcel left our warehouse <b>this afternoon</b> and arrives within two days.</p>`;

/** Three recipients: delivered at once, delivered at the second attempt, and failed. */
async function addShownMessage(target: Target, shop: Sender): Promise<string> {
  const { nowMs } = target;
  const atMs = nowMs - 9 * MINUTE_MS;
  const [first, second, third] = [
    "grace.okafor@mail.example",
    "a.tanaka@university.example",
    "depot@wholesale.example",
  ];
  const template = {
    from: "orders",
    subject: () => "Your order 20417 has shipped",
    text: "Your parcel is on its way.",
  };
  const id = await accept(target, shop, { atMs, to: [first], cc: [second, third], template, html: HTML });
  const nextMs = atMs + 64 * SECOND_MS;
  await settle(target, id, atMs + 900, [delivered(0, "mail.example")]);
  await settle(target, id, atMs + 1400, [deferred(1, "university.example", { ...GREYLISTED, nextMs })]);
  await settle(target, id, atMs + 1700, [failed(2, "wholesale.example", NO_SUCH_USER)]);
  await settle(target, id, nextMs + 1200, [delivered(1, "university.example")]);
  return id;
}
