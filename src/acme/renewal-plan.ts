/**
 * When which names are ordered. Pure: time and chance are arguments. A certificate is renewed at two thirds of its life. Names that
 * cannot be validated are left out after that, but one that the present certificate has only shortly before that ends.
 */
import { X509Certificate } from "node:crypto";
import { crc32 } from "node:zlib";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/units.ts";
import { type CertificateFailure, type CertificateState, DETAIL_MAX } from "../spool/port/certificate-state.ts";
import type { StoredCertificate } from "./sealed-entries.ts";

export interface Plan {
  /** Those to order; empty if there is nothing to do now. */
  names: string[];
  /** Names that must not be left out if they cannot be validated: the present certificate has them, and is valid for long enough. */
  required: string[];
}

export interface PlanInput {
  certificate: StoredCertificate | null;
  state: CertificateState;
  /** The names and the authority of the settings. */
  wanted: readonly string[];
  directory: string;
  nowMs: number;
}

/** Gaps between attempts that fail in succession; the last repeats. Six attempts in the first day, three a day then: Let's Encrypt allows five in an hour. */
const GAPS_MS = [15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS] as const;
const JITTER = 0.1;
/** A wait that is longer was stored by a clock that was ahead. */
const WAIT_MAX_MS = 8 * DAY_MS;
/** Of a certificate's life: when it is renewed, the range of the jitter, and when its names may be left out. */
const RENEW_AT = 2 / 3;
const RENEW_JITTER = 1 / 30;
const LEAVE_OUT_AT = 8 / 9;

/**
 * By a clock that is weeks ahead, a new certificate is due at once; authorities limit how often they issue the same one. Of a short life it is
 * a tenth.
 */
const RENEWALS_APART_MS = 12 * HOUR_MS;

export function planOrder({ certificate, state, wanted, directory, nowMs }: PlanInput): Plan {
  const nothing = { names: [], required: [] };
  if (isWaiting(state.order, nowMs)) return nothing;
  const names = wanted.filter((name) => !isWaiting(state.refused[name] ?? null, nowMs));
  const present = certificate?.directory === directory ? certificate : null;
  if (present === null) return { names, required: [] };
  const life = lifeOf(present.cert);
  const required = nowMs < at(life, LEAVE_OUT_AT) ? wanted.filter((name) => present.names.includes(name)) : [];
  // An order without one of them would take the name away.
  if (required.some((name) => !names.includes(name))) return nothing;
  const apartMs = Math.min(RENEWALS_APART_MS, at(life, 1 / 10) - at(life, 0));
  const isOld = nowMs >= renewalMs(present.cert) && Math.abs(nowMs - (state.obtainedAtMs ?? 0)) >= apartMs;
  const isDue = isOld || names.some((name) => !present.names.includes(name));
  return isDue ? { names, required } : nothing;
}

/** When a certificate (PEM) is renewed: two thirds of its life, earlier or later by a part that follows from the certificate. */
export function renewalMs(cert: string): number {
  const chance = crc32(cert) / 2 ** 32;
  return at(lifeOf(cert), RENEW_AT + (chance - 0.5) * RENEW_JITTER);
}

export interface FailedAttempt {
  detail: string;
  atMs: number;
  /** What the authority demands; null if it does not. */
  retryAfterMs: number | null;
  /** In [0, 1). */
  chance: number;
}

/** The failure after one that may have been before. */
export function failureAfter(
  before: CertificateFailure | null,
  { detail, atMs, retryAfterMs, chance }: FailedAttempt,
): CertificateFailure {
  const count = (before?.count ?? 0) + 1;
  const gapMs = (GAPS_MS[count - 1] ?? GAPS_MS[GAPS_MS.length - 1] ?? 0) * (1 + (chance - 0.5) * 2 * JITTER);
  const nextAtMs = Math.round(atMs + Math.max(gapMs, retryAfterMs ?? 0));
  return { count, atMs, nextAtMs, detail: detail.slice(0, DETAIL_MAX) };
}

const isWaiting = (failure: CertificateFailure | null, nowMs: number): boolean =>
  failure !== null && failure.nextAtMs > nowMs && failure.nextAtMs - nowMs <= WAIT_MAX_MS;

interface Life {
  fromMs: number;
  untilMs: number;
}

function lifeOf(cert: string): Life {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) };
}

const at = ({ fromMs, untilMs }: Life, share: number): number => fromMs + (untilMs - fromMs) * share;
