/** Whether mail is healthy, in a few facts: what `postrider status` shows. */
import type { Finding } from "../../doctor/checks.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import { readDeliveryPause } from "../../spool/port/delivery-pause.ts";
import type { Reports } from "../../spool/port/reports.ts";
import type { EndpointStore } from "../../spool/port/webhooks.ts";
import { endpointState } from "../webhooks/webhook-state.ts";
import { type ReceiverSources, readReceivers } from "./receivers.ts";

export interface StatusSources extends ReceiverSources {
  reports: Pick<Reports, "activity" | "waiting">;
  endpoints: Pick<EndpointStore, "endpoints">;
  findings: readonly Finding[];
}

export interface ServiceStatus {
  /** Recipients since the beginning of the UTC day. */
  today: { accepted: number; delivered: number; failed: number; deferred: number };
  waiting: { recipients: number; unknown: number; oldestAtMs: number | null };
  /** Receivers that take no mail now. */
  closed: { name: string; state: string }[];
  /** Webhook endpoints to which posting fails. */
  failing: { id: string; accountId: string; url: string; state: string }[];
  doctor: { problems: string[]; warnings: string[] };
  /** Why mail is not healthy, in sentences; empty if it is. */
  reasons: string[];
}

/** A recipient that has waited longer than any of a healthy service: most retries of a greylisted one are over. */
const LONG_WAIT_MS = 4 * HOUR_MS;
export const LONG_WAIT_TEXT = "A recipient has waited for more than 4 hours.";

export const isLongWait = (oldestAtMs: number | null, nowMs: number): boolean =>
  oldestAtMs !== null && nowMs - oldestAtMs > LONG_WAIT_MS;

/** The checks of the doctor that find a problem. */
export const doctorReason = (checks: readonly string[]): string => `The doctor finds problems: ${checks.join(", ")}.`;

/** The receivers, by their names, that reject an address of the service. */
export const blockedReason = (names: readonly string[]): string =>
  `Receivers reject an address of the service: ${names.join(", ")}.`;

export const blockedOf = (closed: ServiceStatus["closed"]): string[] =>
  closed.filter(({ state }) => state === "blocked").map(({ name }) => name);

/** Rejects with TooManyReports and SpoolUnavailable. */
export async function serviceStatus(sources: StatusSources): Promise<ServiceStatus> {
  const { reports, endpoints, findings, spool, nowMs } = sources;
  const beginsMs = nowMs - (nowMs % DAY_MS);
  const untilMs = nowMs - (nowMs % MINUTE_MS) + MINUTE_MS;
  const [activity, waiting, receivers, all, pause] = await Promise.all([
    reports.activity({ accountId: null, sinceMs: beginsMs, untilMs, stepMs: DAY_MS }),
    reports.waiting({ accountId: null, nowMs, limit: 1 }),
    readReceivers(sources),
    endpoints.endpoints(null),
    readDeliveryPause(spool),
  ]);
  const { recipients: accepted, delivered, failed, deferred } = activity.total;
  const closed = receivers.flatMap(({ name, state }) => (state === "open" ? [] : [{ name, state }]));
  const failing = all.flatMap((endpoint) => {
    const state = endpointState(endpoint);
    const { id, accountId, url } = endpoint;
    return state === "failing" || state === "disabled" ? [{ id, accountId, url, state }] : [];
  });
  const named = (state: Finding["state"]): string[] =>
    findings.filter((each) => each.state === state).map(({ check }) => check);
  const status = {
    today: { accepted, delivered, failed, deferred },
    waiting: { recipients: waiting.waiting, unknown: waiting.unknown, oldestAtMs: waiting.oldestAtMs },
    closed,
    failing,
    doctor: { problems: named("problem"), warnings: named("warning") },
  };
  return { ...status, reasons: reasonsOf(status, { isPaused: pause !== null, nowMs }) };
}

function reasonsOf(
  { waiting: { oldestAtMs }, closed, failing, doctor: { problems } }: Omit<ServiceStatus, "reasons">,
  { isPaused, nowMs }: { isPaused: boolean; nowMs: number },
): string[] {
  const blocked = blockedOf(closed);
  return [
    ...(isPaused ? ["Delivery is paused after a restore."] : []),
    ...(problems.length === 0 ? [] : [doctorReason(problems)]),
    ...(isLongWait(oldestAtMs, nowMs) ? [LONG_WAIT_TEXT] : []),
    ...(blocked.length === 0 ? [] : [blockedReason(blocked)]),
    ...(failing.length === 0 ? [] : [`Webhook endpoints fail: ${failing.map(({ id }) => id).join(", ")}.`]),
  ];
}
