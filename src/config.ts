/** The only reader of the environment. One table has every name, default and unit; docs/CONFIGURATION.md repeats it. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemReason } from "./lib/error-text.ts";
import { isHostName } from "./lib/host-name.ts";
import { isSafeUrl } from "./lib/loopback-name.ts";
import { trimEndOf } from "./lib/trim-end.ts";
import { DAY_MS } from "./lib/units.ts";
import { parseMailbox } from "./message/address.ts";
import { isFeedbackSenderId } from "./message/compose/feedback-id.ts";
import { SUPPRESS_AFTER_MAX } from "./message/result/suppression.ts";
import { DEFAULT_RETRY_SCHEDULE, parseDuration } from "./message/retry.ts";
import { parseTlsRules, RULES_FILE_MAX, type TlsRules } from "./message/tls-rules.ts";
import { hashApiKey } from "./security/api-key-format.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "./security/passwords.ts";
import { type HostDkim, readSigningKey } from "./security/signing-key-file.ts";
import { ROLES, type Role } from "./spool/port/memberships.ts";

export interface Config {
  /** The PostgreSQL database that holds the spool, with its password; null: SQLite in dataDir. Its form is checked when it is opened. */
  databaseUrl: string | null;
  /** Names this process among those that share the database; all processes of the host if there are several workers. */
  nodeName: string;
  /** Processes on this server that share its port. More than 1 only with a database. */
  workers: number;
  port: number;
  host: string;
  publicUrl: string;
  /** Whether PUBLIC_URL is set; else publicUrl is the default. */
  isPublicUrlSet: boolean;
  dataDir: string;
  certsDir: string;
  /** The EHLO name. */
  hostname: string;
  /** null: discovered at the start. */
  sendingIps: string[] | null;
  /** Empty: the system's servers. */
  dnsServers: string[];
  /** Whether the AD bit of any DNS server is trusted; otherwise only that of one on loopback. */
  dnsTrustAd: boolean;
  smtpPort: number;
  /** SMTP submission with STARTTLS; null: off. */
  submissionPort: number | null;
  /** SMTP submission under TLS from the first octet; null: off. */
  submissionsPort: number | null;
  /** Whether a client on loopback may authenticate there without TLS. */
  submissionAllowPlaintext: boolean;
  /** The listener for bounces, complaints and reports that come back; null: off. */
  inboundPort: number | null;
  /** Domains whose mail exchangers and clocks the doctor uses for its checks. Empty: none. */
  probeDomains: string[];
  /** DNS blocklists in which the doctor looks up the sending addresses. */
  blocklists: string[];
  /** Whether the service does a preflight each day. */
  preflight: "daily" | "off";
  smtpAllowPrivate: boolean;
  /** The most connections at one time to the mail hosts of an operator, by the operator's domain or a host's name. */
  destinationLimits: ReadonlyMap<string, number>;
  /** TLS_POLICY_FILE: the TLS that is required for recipient domains. */
  tlsRules: TlsRules;
  sink: { host: string; port: number } | null;
  recipientsMax: number;
  messageBytesMax: number;
  ratePerSecond: number;
  rateBurst: number;
  /** Requests without a valid key or session from one client address; 0: no limit. */
  addressRatePerSecond: number;
  addressRateBurst: number;
  quotaDaily: number;
  /** Limits of an account; revoked keys do not count. */
  domainsMax: number;
  keysMax: number;
  usersMax: number;
  webhooksMax: number;
  /** Whether webhooks may use http and private addresses, for tests. */
  webhookAllowPrivate: boolean;
  /** The sender of TLS reports to other domains; null: none are sent. */
  tlsReportsFrom: { local: string; domain: string } | null;
  /** The last identifier of the Feedback-ID of every message; null: no message gets the field. */
  feedbackSenderId: string | null;
  /** The text of the page with contact data at the host's name; null: none is served. */
  contactPage: string | null;
  /** Certificates by ACME; null: only those of files. */
  acme: AcmeConfig | null;
  /** The second DKIM signature of every message; null: there is none. */
  hostDkim: HostDkim | null;
  /** Refusals of an address as unknown, some time apart, that suppress it; 0: never. */
  suppressAfter: number;
  /** Gaps between attempts, in milliseconds. */
  retrySchedule: number[];
  retryMaxAgeMs: number;
  unknownPolicy: "hold" | "retry";
  /** How long a stop waits for replies to final dots. */
  stopReplyWaitMs: number;
  /** How long a message's content and results are stored after its last recipient's final result. */
  retention: { contentsMs: number; resultsMs: number };
  admin: { email: string; password: string } | null;
  /** The identity provider that users sign in by; null: none. */
  oidc: OidcConfig | null;
  /** Who may sign in with a password. */
  passwordSignIn: "on" | "operators";
  /** The number of trusted reverse proxies, which add to X-Forwarded-For. */
  trustProxy: number;
  logLevel: string;
}

export interface OidcConfig {
  issuer: string;
  clientId: string;
  /** Null for programs that do not read secret files. */
  clientSecret: string | null;
  /** The claim with a person's groups. */
  groupsClaim: string;
  /** What the members of a group get; of a person's groups with the same account, the first entry counts. */
  groups: readonly GroupMapping[];
}

export interface GroupMapping {
  group: string;
  /** A name. */
  account: string;
  role: Role;
}

export interface AcmeConfig {
  /** Of the operator, for the certificate authority. */
  email: string;
  /** URL of the authority's directory. */
  directory: string;
  /** The port that answers challenges by HTTP-01; null: those by TLS-ALPN-01 are answered at the HTTPS listener. */
  httpPort: number | null;
  /** The host names of the certificate: one or two. */
  names: string[];
  /** Whether the HTTP listener has the certificate: not behind a reverse proxy, which presents its own. */
  servesHttp: boolean;
}

/** A variable that is not valid; its message is one line that names it. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

export type Environment = Record<string, string | undefined>;

const PORT_MAX = 65_535;

/** Octets of the text of a contact page. */
const CONTACT_PAGE_MAX = 16_384;
/** A longer duration could exceed the range of dates. */
const DURATION_MAX_MS = 3650 * DAY_MS;

/** Delivery never waits longer for a reply to the final dot. */
const STOP_REPLY_WAIT_MAX_MS = 600_000;

const TRUST_PROXY_RANGE = { min: 0, max: 10 };

/** Let's Encrypt. */
const ACME_DIRECTORY_DEFAULT = "https://acme-v02.api.letsencrypt.org/directory";

const PER_ACCOUNT = { min: 1, max: 1_000_000 };

/** Only DNS_SERVERS, for programs that need nothing else. Empty if it is not set. Throws ConfigError. */
export function readDnsServers(env: Environment): string[] {
  return env.DNS_SERVERS ? list(env, "DNS_SERVERS", dnsServer) : [];
}

/** Whether text for a terminal has colors: as FORCE_COLOR and NO_COLOR say, else if it goes to a terminal that knows them. */
export function usesColors({ FORCE_COLOR, NO_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

/** The words of the program that shows long texts on a terminal; null for none. */
export function pagerOf({ PAGER = "less" }: Environment): string[] | null {
  const words = PAGER.split(/\s+/).filter((word) => word !== "");
  return words.length === 0 || words[0] === "cat" ? null : words;
}

export interface ReadOptions {
  /** False for programs that run beside the service and may lack the right to read its secrets; `admin` is then null. */
  secretFiles?: boolean;
}

/** Reads the environment and the secret files that it names. Throws ConfigError. */
export function readConfig(env: Environment, { secretFiles = true }: ReadOptions = {}): Config {
  const port = whole(env, "PORT", 8080, { min: 0, max: PORT_MAX });
  return {
    databaseUrl: env.DATABASE_URL || null,
    nodeName: nodeName(env),
    workers: workers(env),
    port,
    host: listenHost(env, "HOST", "0.0.0.0"),
    publicUrl: url(env, "PUBLIC_URL", `http://localhost:${port}`),
    isPublicUrlSet: Boolean(env.PUBLIC_URL),
    dataDir: text(env, "DATA_DIR", "./data"),
    certsDir: text(env, "CERTS_DIR", "./certs"),
    hostname: hostName(env, "MTA_HOSTNAME", hostname()),
    sendingIps: env.SENDING_IPS ? list(env, "SENDING_IPS", ipAddress) : null,
    dnsServers: readDnsServers(env),
    dnsTrustAd: flag(env, "DNS_TRUST_AD", false),
    smtpPort: whole(env, "SMTP_PORT", 25, { min: 1, max: PORT_MAX }),
    submissionPort: optionalPort(env, "SUBMISSION_PORT"),
    submissionsPort: optionalPort(env, "SUBMISSIONS_PORT"),
    submissionAllowPlaintext: flag(env, "SUBMISSION_ALLOW_PLAINTEXT", false),
    inboundPort: optionalPort(env, "INBOUND_PORT"),
    probeDomains: names(env, "PROBE_DOMAINS", "gmail.com,outlook.com"),
    blocklists: names(env, "BLOCKLISTS", "zen.spamhaus.org,bl.spamcop.net"),
    preflight: choice(env, "PREFLIGHT", ["daily", "off"]),
    smtpAllowPrivate: flag(env, "SMTP_ALLOW_PRIVATE", false),
    destinationLimits: destinationLimits(env),
    tlsRules: tlsRules(env),
    sink: hostAndPort(env, "SINK"),
    recipientsMax: whole(env, "RECIPIENTS_MAX", 50, { min: 1, max: 10_000 }),
    messageBytesMax: whole(env, "MESSAGE_BYTES_MAX", 10_485_760, { min: 1024, max: 104_857_600 }),
    ratePerSecond: number(env, "RATE_PER_SECOND", 10),
    rateBurst: whole(env, "RATE_BURST", 20, { min: 1, max: 1_000_000 }),
    addressRatePerSecond: number(env, "ADDRESS_RATE_PER_SECOND", 100),
    addressRateBurst: whole(env, "ADDRESS_RATE_BURST", 500, { min: 1, max: 1_000_000 }),
    quotaDaily: whole(env, "QUOTA_DAILY", 0, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    domainsMax: whole(env, "DOMAINS_MAX", 500, PER_ACCOUNT),
    keysMax: whole(env, "KEYS_MAX", 500, PER_ACCOUNT),
    usersMax: whole(env, "USERS_MAX", 200, PER_ACCOUNT),
    webhooksMax: whole(env, "WEBHOOKS_MAX", 20, { min: 1, max: 1000 }),
    webhookAllowPrivate: flag(env, "WEBHOOK_ALLOW_PRIVATE", false),
    tlsReportsFrom: optionalAddress(env, "TLS_REPORTS_FROM"),
    feedbackSenderId: feedbackSenderId(env),
    contactPage: contactPage(env),
    acme: acme(env),
    hostDkim: hostDkim(env, secretFiles),
    suppressAfter: whole(env, "SUPPRESS_AFTER", 3, { min: 0, max: SUPPRESS_AFTER_MAX }),
    retrySchedule: list(env, "RETRY_SCHEDULE", retryGapMs, DEFAULT_RETRY_SCHEDULE),
    retryMaxAgeMs: retryMaxAgeMs(env),
    unknownPolicy: choice(env, "UNKNOWN_POLICY", ["hold", "retry"]),
    stopReplyWaitMs: stopReplyWaitMs(env),
    retention: {
      contentsMs: retentionMs(env, "RETENTION_BODY", "7d"),
      resultsMs: retentionMs(env, "RETENTION_RESULTS", "30d"),
    },
    admin: admin(env, secretFiles),
    ...signInSettings(env, secretFiles),
    trustProxy: whole(env, "TRUST_PROXY", 0, TRUST_PROXY_RANGE),
    logLevel: choice(env, "LOG_LEVEL", ["info", "trace", "debug", "warn", "error", "fatal", "silent"]),
  };
}

function fault(name: string, value: string, wanted: string): ConfigError {
  return new ConfigError(`${name}=${value} is not valid: ${wanted}`);
}

function text(env: Environment, name: string, fallback: string): string {
  return env[name] || fallback;
}

function whole(env: Environment, name: string, fallback: number, range: { min: number; max: number }): number {
  const value = env[name];
  if (!value) return fallback;
  const read = Number(value);
  if (!/^\d+$/.test(value) || read < range.min || read > range.max) {
    throw fault(name, value, `it must be a whole number from ${range.min} to ${range.max}`);
  }
  return read;
}

/** 0 for any free port; null if it is not set. */
function optionalPort(env: Environment, name: string): number | null {
  return env[name] ? whole(env, name, 0, { min: 0, max: PORT_MAX }) : null;
}

function number(env: Environment, name: string, fallback: number): number {
  const value = env[name];
  if (!value) return fallback;
  if (!/^\d+(\.\d+)?$/.test(value)) throw fault(name, value, "it must be a number, 0 or greater");
  return Number(value);
}

function flag(env: Environment, name: string, fallback: boolean): boolean {
  const value = env[name];
  if (!value) return fallback;
  if (["true", "1", "yes"].includes(value)) return true;
  if (["false", "0", "no"].includes(value)) return false;
  throw fault(name, value, "it must be true or false");
}

/** One of `options`; the first is the default. */
function choice<const T extends string>(env: Environment, name: string, options: readonly [T, ...T[]]): T {
  const value = env[name];
  if (!value) return options[0];
  const chosen = options.find((option) => option === value);
  if (chosen === undefined) throw fault(name, value, `it must be one of ${options.join(", ")}`);
  return chosen;
}

function list<T>(env: Environment, name: string, read: (item: string, name: string) => T, fallback = ""): T[] {
  const value = text(env, name, fallback);
  const items = value.split(",").map((item) => item.trim());
  const given = items.filter((item) => item !== "");
  if (given.length === 0) throw fault(name, value, "the list is empty");
  return given.map((item) => read(item, name));
}

/** `zero` is the reason why 0 is not valid. */
function durationMs(item: string, name: string, zero: string): number {
  const ms = parseDuration(item);
  if (ms === null) throw fault(name, item, "it must be a duration such as 30s, 5m, 2h or 7d");
  if (ms === 0) throw fault(name, item, zero);
  if (ms > DURATION_MAX_MS) throw fault(name, item, "it must be at most 3650d");
  return ms;
}

/** A list of domain names; `none` for an empty one. */
function names(env: Environment, name: string, fallback: string): string[] {
  return text(env, name, fallback) === "none" ? [] : list(env, name, domainName, fallback);
}

/** The most that the attempts at one destination may grow to. */
const DESTINATION_LIMIT_MAX = 100;

function destinationLimits(env: Environment): ReadonlyMap<string, number> {
  if (!env.DESTINATION_LIMITS) return new Map();
  return new Map(list(env, "DESTINATION_LIMITS", destinationLimit));
}

/** The name is a domain, or the `host:port` of SINK. */
function destinationLimit(item: string, name: string): [string, number] {
  const [, target = "", limit = ""] = /^(.+)=(\d{1,3})$/.exec(item.toLowerCase()) ?? [];
  const value = Number(limit);
  const domain = target.replace(/\.$/, "");
  const sink = splitPort(target);
  const key = isHostName(domain) ? domain : sink?.port ? `${sink.host}:${sink.port}` : null;
  if (key !== null && value >= 1 && value <= DESTINATION_LIMIT_MAX) return [key, value];
  throw fault(name, item, `it must be a list of domain=connections, with 1 to ${DESTINATION_LIMIT_MAX} connections`);
}

function domainName(item: string, name: string): string {
  const value = item.toLowerCase().replace(/\.$/, "");
  if (isHostName(value) && value.includes(".")) return value;
  throw fault(name, item, "it must be a list of domain names, or none");
}

function retryGapMs(item: string, name: string): number {
  return durationMs(item, name, "it must be at least 1s, or the same server would be tried again at once");
}

function retryMaxAgeMs(env: Environment): number {
  const zero = "it must be at least 1s, or the first temporary failure would be permanent";
  return durationMs(text(env, "RETRY_MAX_AGE", "48h"), "RETRY_MAX_AGE", zero);
}

/** With 0s a stop does not wait for replies. */
function stopReplyWaitMs(env: Environment): number {
  const value = text(env, "STOP_REPLY_WAIT", "60s");
  const ms = parseDuration(value);
  if (ms === null) throw fault("STOP_REPLY_WAIT", value, "it must be a duration such as 30s or 5m");
  if (ms > STOP_REPLY_WAIT_MAX_MS)
    throw fault("STOP_REPLY_WAIT", value, "it must be at most 10m, the longest wait for a reply");
  return ms;
}

function retentionMs(env: Environment, name: string, fallback: string): number {
  return durationMs(text(env, name, fallback), name, "it must be at least 1s, or sent messages could not be viewed");
}

function url(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback);
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw fault(name, value, "it must be an http or https URL");
  return trimEndOf(value, "/");
}

function hostName(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback).toLowerCase().replace(/\.$/, "");
  if (!isHostName(value)) throw fault(name, value, "it must be a host name, such as mta.example.com");
  return value;
}

function listenHost(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback);
  if (isIP(value) !== 0 || isHostName(value)) return value;
  throw fault(name, value, "it must be an IP address or a host name, without brackets and port");
}

function ipAddress(item: string, name: string): string {
  if (isIP(item) === 0) throw fault(name, item, "it must be a list of IP addresses");
  return item;
}

function dnsServer(item: string, name: string): string {
  const split = splitPort(item);
  if (split === null || isIP(split.host) === 0)
    throw fault(name, item, `it must be a list of ip or ip:port${PORT_RANGE}`);
  return item;
}

function hostAndPort(env: Environment, name: string): { host: string; port: number } | null {
  const value = env[name];
  if (!value) return null;
  const split = readHostAndPort(value);
  if (split === null) throw fault(name, value, `it must be host:port${PORT_RANGE}`);
  return split;
}

/** Parses `host:port`, with an IPv6 address in brackets; null if it is none. */
export function readHostAndPort(value: string): { host: string; port: number } | null {
  const split = splitPort(value);
  if (split === null || split.port === null || (isIP(split.host) === 0 && !isHostName(split.host))) return null;
  return { host: split.host, port: split.port };
}

const PORT_RANGE = `, the port from 1 to ${PORT_MAX}`;

/** Parses `host`, `host:port`, `v6` or `[v6]:port`. Port 0 is refused: connecting to it crashes Node. */
function splitPort(item: string): { host: string; port: number | null } | null {
  if (isIP(item) !== 0) return { host: item, port: null };
  const [, v6, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
  const host = v6 ?? name;
  if (host === undefined || (v6 !== undefined && isIP(v6) !== 6)) return null;
  if (digits === undefined) return { host, port: null };
  const port = Number(digits);
  return port >= 1 && port <= PORT_MAX ? { host, port } : null;
}

/** Null if it is not set. */
function optionalAddress(env: Environment, name: string): { local: string; domain: string } | null {
  const value = env[name];
  if (!value) return null;
  const mailbox = parseMailbox(value);
  if (mailbox.type === "invalid") throw fault(name, value, mailbox.detail);
  return { local: mailbox.local, domain: mailbox.domain };
}

/** Null if it is not set. */
function feedbackSenderId({ FEEDBACK_ID: value }: Environment): string | null {
  if (!value || isFeedbackSenderId(value)) return value || null;
  throw fault(
    "FEEDBACK_ID",
    value,
    "it must be an identifier of 5 to 15 letters, digits, dots, hyphens or underscores",
  );
}

function tlsRules({ TLS_POLICY_FILE: path }: Environment): TlsRules {
  if (!path) return new Map();
  const content = contentIn("TLS_POLICY_FILE", path);
  if (Buffer.byteLength(content) > RULES_FILE_MAX)
    throw fault("TLS_POLICY_FILE", path, "the file must have at most 1 MiB");
  const rules = parseTlsRules(content);
  if ("line" in rules) throw fault("TLS_POLICY_FILE", path, `line ${rules.line}: ${rules.detail}`);
  return rules;
}

function contactPage({ CONTACT_PAGE_FILE: path }: Environment): string | null {
  if (!path) return null;
  const content = contentIn("CONTACT_PAGE_FILE", path).trim();
  if (content === "" || Buffer.byteLength(content) > CONTACT_PAGE_MAX)
    throw fault("CONTACT_PAGE_FILE", path, "the file must have some text, of at most 16 KiB");
  return content;
}

/** Null without ACME_EMAIL. */
function acme(env: Environment): AcmeConfig | null {
  const email = optionalAddress(env, "ACME_EMAIL");
  const directory = text(env, "ACME_DIRECTORY", ACME_DIRECTORY_DEFAULT);
  const isHttp = env.ACME_HTTP_PORT !== "none";
  if (email === null) return null;
  if (!URL.canParse(directory) || new URL(directory).protocol !== "https:")
    throw fault("ACME_DIRECTORY", directory, "it must be an https URL");
  const servesHttp = whole(env, "TRUST_PROXY", 0, TRUST_PROXY_RANGE) === 0;
  const httpPort = !isHttp ? null : whole(env, "ACME_HTTP_PORT", 80, { min: 0, max: PORT_MAX });
  if (httpPort === null && !servesHttp) {
    throw new ConfigError(
      "ACME_HTTP_PORT=none needs TRUST_PROXY=0: a reverse proxy answers the challenges of TLS-ALPN-01 itself. Set a port",
    );
  }
  return {
    email: `${email.local}@${email.domain}`,
    directory,
    httpPort,
    names: certificateNames(env, servesHttp),
    servesHttp,
  };
}

/** Authorities issue certificates only for names with a dot. */
function certificateNames(env: Environment, servesHttp: boolean): string[] {
  const mta = hostName(env, "MTA_HOSTNAME", hostname());
  const ofUrl = servesHttp ? [new URL(url(env, "PUBLIC_URL", "http://localhost")).hostname] : [];
  const names = [...new Set([mta, ...ofUrl])].filter((name) => isHostName(name) && /\.[a-z][a-z0-9-]*$/.test(name));
  if (names.length > 0) return names;
  throw new ConfigError(
    `ACME_EMAIL needs a public host name: set MTA_HOSTNAME (now ${mta}), or PUBLIC_URL, to a name such as mail.example.com`,
  );
}

/** Null without the three settings. No error message contains the key. */
function hostDkim(env: Environment, secretFiles: boolean): HostDkim | null {
  const { HOST_DKIM_DOMAIN: given, HOST_DKIM_SELECTOR: selector, HOST_DKIM_KEY_FILE: keyFile } = env;
  if (!given && !selector && !keyFile) return null;
  if (!given || !selector || !keyFile) {
    throw new ConfigError("HOST_DKIM_DOMAIN, HOST_DKIM_SELECTOR and HOST_DKIM_KEY_FILE must be set together");
  }
  const domain = hostName(env, "HOST_DKIM_DOMAIN", "");
  if (!isHostName(`${selector}._domainkey.${domain}`)) {
    throw fault(
      "HOST_DKIM_SELECTOR",
      selector,
      "it must be the part of the record's name before ._domainkey, such as s1",
    );
  }
  if (!secretFiles) return { domain, selector, keyFile, privateKey: null };
  const read = readSigningKey(keyFile);
  if (read.type !== "key") throw new ConfigError(`HOST_DKIM_KEY_FILE=${keyFile} ${read.fault}`);
  return { domain, selector, keyFile, privateKey: read.key };
}

/** Names a node in lists, logs and on the command line. */
function nodeName(env: Environment): string {
  const name = text(env, "NODE_NAME", hostname());
  if (!/^[\w.-]{1,63}$/.test(name)) {
    throw fault("NODE_NAME", name, "it must have 1 to 63 letters, digits, dots, hyphens or underscores");
  }
  return name;
}

/** Each worker is a node, and a database has at most 64. */
function workers(env: Environment): number {
  const count = whole(env, "WORKERS", 1, { min: 1, max: 64 });
  if (count > 1 && !env.DATABASE_URL) {
    throw new ConfigError(`WORKERS=${count} needs DATABASE_URL: without a database, the spool belongs to one process`);
  }
  return count;
}

/** No error message contains the password. */
function admin(env: Environment, secretFiles: boolean): { email: string; password: string } | null {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: given, ADMIN_PASSWORD_FILE: file } = env;
  if (given && file) throw new ConfigError("ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set: set one of them");
  if (!email && !given && !file) return null;
  if (!email || !(given || file)) {
    throw new ConfigError("ADMIN_EMAIL and ADMIN_PASSWORD (or ADMIN_PASSWORD_FILE) must be set together");
  }
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") throw fault("ADMIN_EMAIL", email, mailbox.detail);
  if (file && !secretFiles) return null;
  const password = file ? secretIn("ADMIN_PASSWORD_FILE", file) : (given ?? "");
  const setting = file ? `ADMIN_PASSWORD_FILE=${file}` : "ADMIN_PASSWORD";
  if (password.length < PASSWORD_LENGTH_MIN) {
    throw new ConfigError(`${setting} is not valid: it must have at least ${PASSWORD_LENGTH_MIN} characters`);
  }
  if (password.length > PASSWORD_LENGTH_MAX) {
    throw new ConfigError(`${setting} is not valid: it must have at most ${PASSWORD_LENGTH_MAX} characters`);
  }
  return { email: mailbox.address, password };
}

function signInSettings(env: Environment, secretFiles: boolean): Pick<Config, "oidc" | "passwordSignIn"> {
  const provider = oidc(env, secretFiles);
  const passwordSignIn = choice(env, "PASSWORD_SIGN_IN", ["on", "operators"]);
  if (passwordSignIn === "operators" && provider === null)
    throw new ConfigError("PASSWORD_SIGN_IN=operators needs OIDC_ISSUER: without it, other users could not sign in");
  return { oidc: provider, passwordSignIn };
}

/** Null without settings. No error message contains the secret. */
function oidc(env: Environment, secretFiles: boolean): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET_FILE: file } = env;
  if (!issuer && !clientId && !file) {
    if (!env.OIDC_GROUPS && !env.OIDC_GROUPS_CLAIM) return null;
    throw new ConfigError("OIDC_GROUPS and OIDC_GROUPS_CLAIM need OIDC_ISSUER");
  }
  if (!issuer || !clientId || !file)
    throw new ConfigError("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET_FILE must be set together");
  const secret = secretFiles ? secretIn("OIDC_CLIENT_SECRET_FILE", file) : null;
  if (secret === "") throw fault("OIDC_CLIENT_SECRET_FILE", file, "the file is empty");
  return {
    issuer: issuerUrl(issuer),
    clientId,
    clientSecret: secret,
    groupsClaim: text(env, "OIDC_GROUPS_CLAIM", "groups"),
    groups: env.OIDC_GROUPS ? list(env, "OIDC_GROUPS", groupMapping) : [],
  };
}

/** As the provider writes it: a final slash is a part of its name. */
function issuerUrl(value: string): string {
  if (URL.canParse(value) && isSafeUrl(new URL(value)) && !/[?#]/.test(value)) return value;
  throw fault("OIDC_ISSUER", value, "it must be an https URL without query and fragment (http only on loopback)");
}

/** The name of a group may have any character but a comma. */
function groupMapping(item: string, name: string): GroupMapping {
  const [, group = "", account = "", given] = /^(.+)=([^=:]+):(\w+)$/.exec(item) ?? [];
  const role = ROLES.find((each) => each === given);
  if (role !== undefined) return { group: group.trim(), account: account.trim(), role };
  throw fault(name, item, `it must be a list of group=account:role, the role one of ${ROLES.join(", ")}`);
}

/** The single line in a file, without its newline. No error message contains it. */
function secretIn(name: string, path: string): string {
  const line = contentIn(name, path).replace(/\r?\n$/, "");
  if (/[\r\n]/.test(line)) throw fault(name, path, "the file must hold a single line");
  return line;
}

function contentIn(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${name}=${path} is not readable: ${systemReason(error)}`);
  }
}

/** PUBLIC_URL, where it is set and valid. */
export function knownPublicUrl(env: Environment): string | null {
  try {
    return env.PUBLIC_URL ? url(env, "PUBLIC_URL", "") : null;
  } catch {
    return null;
  }
}

/** A service that the command line talks to by its management interface. */
export interface Remote {
  /** Base URL. */
  url: string;
  /** An API key. */
  key: string;
}

/** Reads POSTRIDER_URL and POSTRIDER_KEY; null without either. Throws ConfigError. */
export function readRemote({ POSTRIDER_URL: url = "", POSTRIDER_KEY: key = "" }: Environment): Remote | null {
  if (url === "" && key === "") return null;
  if (url === "") throw new ConfigError("POSTRIDER_KEY is set and POSTRIDER_URL is not: set the service's base URL");
  if (key === "") throw new ConfigError("POSTRIDER_URL is set and POSTRIDER_KEY is not: set an API key");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError(`POSTRIDER_URL='${url}' is not a URL such as https://mail.example.com`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ConfigError("POSTRIDER_KEY is not an API key");
  return { url, key };
}

/** A service for a program that cannot do without, and that sends the key at once. Throws ConfigError, which has neither key nor password. */
export function requireRemote(remote: Remote | null): Remote {
  if (remote === null)
    throw new ConfigError("POSTRIDER_URL and POSTRIDER_KEY are not set: set the service's base URL, and an API key");
  const { username, password, search, hash } = new URL(remote.url);
  if ([username, password, search, hash].some((part) => part !== ""))
    throw new ConfigError("POSTRIDER_URL is not valid: it must have no user, password, query and fragment");
  if (hashApiKey(remote.key) === null)
    throw new ConfigError(
      "POSTRIDER_KEY is not valid: it must be an API key, svc_live_… or svc_test_…, as it was created",
    );
  return { url: trimEndOf(remote.url, "/"), key: remote.key };
}

/** Where `login` keeps a service and a key; null without a home directory. */
export function loginFile({ XDG_CONFIG_HOME: config = "", HOME: home = "" }: Environment): string | null {
  const dir = config !== "" ? config : home === "" ? null : join(home, ".config");
  return dir === null ? null : join(dir, "postrider", "login.json");
}
