/**
 * The only reader of the environment. Every name, default and unit is in one table; README repeats it for people.
 */
import { isIP } from "node:net";
import { hostname } from "node:os";
import { parseDuration } from "./message/retry.ts";
import { SUPPRESS_AFTER_MAX } from "./message/suppression.ts";

export interface Config {
  port: number;
  host: string;
  publicUrl: string;
  dataDir: string;
  certsDir: string;
  /** The EHLO name. */
  hostname: string;
  /** null: to be discovered. */
  sendingIps: string[] | null;
  /** Empty: the system's. */
  dnsServers: string[];
  /** Whether the AD bit of any DNS server is believed; otherwise that of one on loopback only. */
  dnsTrustAd: boolean;
  smtpPort: number;
  smtpAllowPrivate: boolean;
  sink: { host: string; port: number } | null;
  recipientsMax: number;
  messageBytesMax: number;
  ratePerSecond: number;
  rateBurst: number;
  quotaDaily: number;
  /** Refusals as not existing that suppress an address; 0: never. */
  suppressAfter: number;
  /** Gaps between attempts, milliseconds. */
  retrySchedule: number[];
  retryMaxAgeMs: number;
  unknownPolicy: "hold" | "retry";
  admin: { email: string; password: string } | null;
  logLevel: string;
}

/** A variable that cannot be read; its message is the one line that names it. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Record<string, string | undefined>;

/** Reads the environment (contract: names, defaults, units). Throws ConfigError. */
export function readConfig(env: Environment): Config {
  const port = whole(env, "PORT", 8080, { min: 0, max: 65535 });
  return {
    port,
    host: text(env, "HOST", "0.0.0.0"),
    publicUrl: url(env, "PUBLIC_URL", `http://localhost:${port}`),
    dataDir: text(env, "DATA_DIR", "./data"),
    certsDir: text(env, "CERTS_DIR", "./certs"),
    hostname: hostName(env, "MTA_HOSTNAME", hostname()),
    sendingIps: env.SENDING_IPS ? list(env, "SENDING_IPS", ipAddress) : null,
    dnsServers: list(env, "DNS_SERVERS", dnsServer),
    dnsTrustAd: flag(env, "DNS_TRUST_AD", false),
    smtpPort: whole(env, "SMTP_PORT", 25, { min: 1, max: 65535 }),
    smtpAllowPrivate: flag(env, "SMTP_ALLOW_PRIVATE", false),
    sink: hostAndPort(env, "SINK"),
    recipientsMax: whole(env, "RECIPIENTS_MAX", 50, { min: 1, max: 10_000 }),
    messageBytesMax: whole(env, "MESSAGE_BYTES_MAX", 10_485_760, { min: 1024, max: 104_857_600 }),
    ratePerSecond: number(env, "RATE_PER_SECOND", 10),
    rateBurst: whole(env, "RATE_BURST", 20, { min: 1, max: 1_000_000 }),
    quotaDaily: whole(env, "QUOTA_DAILY", 0, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    suppressAfter: whole(env, "SUPPRESS_AFTER", 3, { min: 0, max: SUPPRESS_AFTER_MAX }),
    retrySchedule: list(env, "RETRY_SCHEDULE", durationMs, "1m,5m,15m,30m,1h,2h,4h,8h"),
    retryMaxAgeMs: durationMs(text(env, "RETRY_MAX_AGE", "48h"), "RETRY_MAX_AGE"),
    unknownPolicy: choice(env, "UNKNOWN_POLICY", ["hold", "retry"]),
    admin: admin(env),
    logLevel: choice(env, "LOG_LEVEL", ["info", "trace", "debug", "warn", "error", "fatal", "silent"]),
  };
}

function fault(name: string, value: string, wanted: string): ConfigError {
  return new ConfigError(`${name}=${value} cannot be used: ${wanted}`);
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
  const items = text(env, name, fallback)
    .split(",")
    .map((item) => item.trim());
  return items.filter((item) => item !== "").map((item) => read(item, name));
}

function durationMs(item: string, name: string): number {
  const ms = parseDuration(item);
  if (ms === null || ms === 0) throw fault(name, item, "a duration is written like 30s, 5m, 2h or 7d");
  return ms;
}

function url(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback);
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw fault(name, value, "it must be an http or https URL");
  return value.replace(/\/+$/, "");
}

function hostName(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback).toLowerCase().replace(/\.$/, "");
  if (!/^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?$/.test(value)) throw fault(name, value, "it must be a host name");
  return value;
}

function ipAddress(item: string, name: string): string {
  if (isIP(item) === 0) throw fault(name, item, "it must be a list of IP addresses");
  return item;
}

function dnsServer(item: string, name: string): string {
  const split = splitPort(item);
  if (split === null || isIP(split.host) === 0) throw fault(name, item, "it must be a list of ip or ip:port");
  return item;
}

function hostAndPort(env: Environment, name: string): { host: string; port: number } | null {
  const value = env[name];
  if (!value) return null;
  const split = splitPort(value);
  if (split?.port == null) throw fault(name, value, "it must be host:port");
  return { host: split.host, port: split.port };
}

/** `host`, `host:port`, `v6`, `[v6]:port`. */
function splitPort(item: string): { host: string; port: number | null } | null {
  if (isIP(item) !== 0) return { host: item, port: null };
  const match = /^(?:\[([^\]]+)\]|([^:\s]+))(?::(\d{1,5}))?$/.exec(item);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || Number(match?.[3] ?? 1) > 65535) return null;
  return { host, port: match?.[3] === undefined ? null : Number(match[3]) };
}

function admin(env: Environment): { email: string; password: string } | null {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env;
  if (!email && !password) return null;
  if (!email || !password) throw new ConfigError("ADMIN_EMAIL and ADMIN_PASSWORD must be given together");
  return { email, password };
}
