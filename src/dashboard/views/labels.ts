/**
 * Formats numbers, times and states as text, for all pages.
 */

import { type EndpointState, endpointState } from "../../app/webhooks/webhook-state.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Category } from "../../message/result/category.ts";
import type { Result } from "../../message/result/outcome.ts";
import { type ApiKey, isActive, type KeyAccess } from "../../spool/port/api-keys.ts";
import {
  CHECK_NAMES,
  type CheckName,
  type CheckState,
  type Domain,
  type DomainCheck,
  isWarned,
  type ReturnPathCheckName,
} from "../../spool/port/domains.ts";
import type { Feedback } from "../../spool/port/results.ts";
import type { Endpoint, WebhookAttempt } from "../../spool/port/webhooks.ts";

export type Tone = "good" | "bad" | "warn" | "wait" | "quiet";

/** A short text with the tone that sets its colour and icon. */
export interface Label {
  text: string;
  tone: Tone;
}

export const RESULT_LABELS: Readonly<Record<Result, Label>> = {
  delivered: { text: "Delivered", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
  pending: { text: "Pending", tone: "wait" },
  unknown: { text: "Unknown", tone: "warn" },
};

/** Of a message that waits and cannot be read: no attempt is made of it. */
export const QUARANTINED_LABEL: Label = { text: "In quarantine", tone: "bad" };

/** What came back after the handover, in the order of attention. */
export const FEEDBACK_LABELS: Readonly<Record<Feedback, Label>> = {
  bounced: { text: "Bounced", tone: "bad" },
  complained: { text: "Marked as spam", tone: "bad" },
  unsubscribed: { text: "Unsubscribed", tone: "warn" },
};

/** Of test keys, and of messages that were sent with one. */
export const TEST_LABEL: Label = { text: "Test", tone: "quiet" };

export function keyLabel(key: ApiKey, nowMs: number): Label {
  if (key.suspended) return { text: "Suspended", tone: "warn" };
  if (key.revokedAtMs !== null) return { text: "Revoked", tone: "quiet" };
  return isActive(key, nowMs) ? { text: "Active", tone: "good" } : { text: "Expired", tone: "quiet" };
}

const LIST = new Intl.ListFormat("en-GB");

/** Domains that are named before the others are counted. */
const DOMAINS_NAMED = 2;

/** What a key may do, such as `Send and read, from shop.example`. */
export function accessText({ permissions, domains }: KeyAccess): string {
  const may = permissions.length === 0 ? "none" : LIST.format(permissions);
  const text = capitalized(may);
  if (domains === null) return permissions.length === 1 ? `${text} only` : text;
  const more = domains.length - DOMAINS_NAMED;
  const named = domains.slice(0, DOMAINS_NAMED).join(", ");
  return `${text}, from ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

export const CATEGORY_NAMES: Readonly<Record<Category, string>> = {
  bad_address: "Bad address",
  mailbox_full: "Mailbox full",
  mailbox_disabled: "Mailbox disabled",
  rate_limited: "Rate limited",
  reputation: "Reputation",
  authentication: "Authentication",
  content: "Content",
  policy: "Policy",
  too_large: "Too large",
  greylisted: "Greylisted",
  network: "Network",
  other: "Unclassified",
};

/** Reasons of recipients whose reply has no category, by their codes. */
const REASON_NAMES: Readonly<Record<string, string>> = {
  recipient_refused: "Recipient rejected",
  sender_refused: "Sender rejected",
  message_refused: "Message rejected",
  host_refused: "Connection rejected",
  refused_on_fallback: "Rejected without TLS",
  temporarily_refused: "Deferred",
};

/** Short forms of the sentences about recipients that may have the message, by reason code. */
export const UNKNOWN_REASON_NAMES: Readonly<Record<string, string>> = {
  connection_lost_after_final_dot: "Connection lost after sending",
  no_reply_to_final_dot: "No reply after sending",
  garbled_reply_to_final_dot: "Invalid reply after sending",
  restored_from_backup: "Restored from a backup",
  interrupted_after_final_dot: "Interrupted while sending",
};

/** A reason in words: its category, or what happened if it has no category that says more. */
export function reasonName(reason: string, category: Category | null): string {
  if (category !== null && category !== "other") return CATEGORY_NAMES[category];
  return UNKNOWN_REASON_NAMES[reason] ?? REASON_NAMES[reason] ?? capitalized(reason.replaceAll("_", " "));
}

export const CHECK_STATE_LABELS: Readonly<Record<CheckState, Label>> = {
  verified: { text: "Verified", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
  temporary_failure: { text: "Temporary failure", tone: "warn" },
  pending: { text: "Pending", tone: "wait" },
};

export function checkLabel(check: Pick<DomainCheck, "state" | "warnings">): Label {
  return isWarned(check) ? { text: "Verified, with a warning", tone: "warn" } : CHECK_STATE_LABELS[check.state];
}

/** Labels a domain by whether it may send, and by its failing checks and warnings. */
export function domainLabel({ verified, checks }: Pick<Domain, "verified" | "checks">): Label {
  const failing = CHECK_NAMES.filter((name) => checks[name].state === "failed").length;
  if (!verified) {
    return failing > 0 ? { text: "Not verified", tone: "bad" } : { text: "Not verified yet", tone: "wait" };
  }
  if (failing > 0) return { text: `May send, ${plural(failing, "check fails", "checks fail")}`, tone: "warn" };
  const warned = CHECK_NAMES.filter((name) => isWarned(checks[name])).length;
  if (warned > 0) return { text: `May send, ${plural(warned, "warning")}`, tone: "warn" };
  return { text: "May send", tone: "good" };
}

export const CHECK_TITLES: Readonly<Record<CheckName | ReturnPathCheckName, string>> = {
  ownership: "Ownership",
  mx: "MX",
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "DMARC",
  return_path_mx: "Return path MX",
  return_path_spf: "Return path SPF",
};

const ENDPOINT_STATE_LABELS: Readonly<Record<EndpointState, Label>> = {
  active: { text: "Active", tone: "good" },
  failing: { text: "Failing", tone: "warn" },
  paused: { text: "Paused", tone: "quiet" },
  disabled: { text: "Disabled", tone: "bad" },
};

export function endpointLabel(endpoint: Endpoint): Label {
  return ENDPOINT_STATE_LABELS[endpointState(endpoint)];
}

const ATTEMPT_TONES: Readonly<Record<WebhookAttempt["result"], Tone>> = {
  sent: "good",
  deferred: "warn",
  given_up: "bad",
};

/** Short forms of the sentences that explain why an endpoint did not respond. The first one that fits is used. */
const NO_RESPONSE_REASONS: readonly [RegExp, string][] = [
  [/refused the connection/, "Refused"],
  [/timed out|No response within/, "Timed out"],
  [/no route/, "No route"],
  [/connection was closed/, "Disconnected"],
  [/TLS certificate/, "Bad certificate"],
  [/TLS handshake/, "TLS failed"],
  [/not valid HTTP|header of the response|informational responses/, "Bad response"],
  [/has no address|could not be looked up/, "Host not found"],
  [/WEBHOOK_ALLOW_PRIVATE/, "Not allowed"],
];

/** Labels an attempt by its HTTP status or the reason why there is none, in the tone of its result. */
export function attemptLabel({ status, error, result }: Pick<WebhookAttempt, "status" | "error" | "result">): Label {
  return { text: status === null ? noResponseText(error ?? "") : String(status), tone: ATTEMPT_TONES[result] };
}

const noResponseText = (error: string): string =>
  NO_RESPONSE_REASONS.find(([pattern]) => pattern.test(error))?.[1] ?? "No response";

/** Returns the notice for a `done` parameter; undefined for an unknown name, including those of Object.prototype. */
export function noticeText(notices: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === "string" && Object.hasOwn(notices, name) ? notices[name] : undefined;
}

const UNITS: readonly [string, number][] = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["min", MINUTE_MS],
  ["s", 1000],
];

/** Formats a duration, rounded down: days and hours with the next unit (`1 h 58 min`), seconds below ten with a decimal. */
export function spanText(spanMs: number): string {
  if (spanMs < 1000) return `${Math.max(0, Math.round(spanMs))} ms`;
  if (spanMs < 10_000) return `${(spanMs / 1000).toFixed(1)} s`;
  const first = UNITS.findIndex(([, unitMs]) => spanMs >= unitMs);
  const [unit, unitMs] = UNITS[first] ?? ["s", 1000];
  const whole = `${Math.floor(spanMs / unitMs)} ${unit}`;
  const [next, nextMs] = UNITS[first + 1] ?? ["", unitMs];
  const rest = Math.floor((spanMs % unitMs) / nextMs);
  return unit === "min" || rest === 0 ? whole : `${whole} ${rest} ${next}`;
}

/** `3 min ago`, `in 2 h`, `now`. */
export function relativeText(atMs: number, nowMs: number): string {
  const spanMs = Math.abs(nowMs - atMs);
  if (spanMs < 1000) return "now";
  const text = spanText(Math.floor(spanMs / 1000) * 1000).replace(".0 s", " s");
  return atMs < nowMs ? `${text} ago` : `in ${text}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `14 Mar 2026, 09:05:07` in UTC. */
export function timeText(atMs: number): string {
  const date = new Date(atMs);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day}, ${date.toISOString().slice(11, 19)}`;
}

/** Formats a count with thin spaces between groups of three digits. A number is written with at most 21. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3}){1,7}$)/g, "\u202f");
}

/** `1 message`, `3 messages`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} bytes`;
  if (sizeBytes < 1024 ** 2) return `${(sizeBytes / 1024).toFixed(1)} KiB`;
  return `${(sizeBytes / 1024 ** 2).toFixed(1)} MiB`;
}
