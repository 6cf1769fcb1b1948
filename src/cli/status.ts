/** `status`: whether mail is healthy, in five lines. */
import { type ServiceStatus, serviceStatus } from "../app/reports/service-status.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339 } from "../lib/clock.ts";
import { type Implementation, pluralize } from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

export const status: Implementation = {
  async run(context, { options }) {
    const { store, config, nowMs } = context;
    const traffic = await storedTraffic(store, nowMs);
    const sources = { spool: store, reports: store.reports, endpoints: store, traffic, nowMs };
    const findings = await context.findings();
    const found = await serviceStatus({ ...sources, configured: config.destinationLimits, findings });
    const result = { json: jsonOf(found), text: textOf(found, nowMs) };
    if (options.check !== true || found.reasons.length === 0) return result;
    return { ...result, failure: found.reasons.join(" ") };
  },
};

function jsonOf({ today, waiting, closed, failing, doctor, reasons }: ServiceStatus) {
  const { oldestAtMs, ...counts } = waiting;
  return {
    healthy: reasons.length === 0,
    reasons,
    today,
    waiting: { ...counts, oldest_at: oldestAtMs === null ? null : rfc3339(oldestAtMs) },
    closed_receivers: closed,
    failing_webhooks: failing.map(({ accountId, ...endpoint }) => ({ ...endpoint, account_id: accountId })),
    doctor,
  };
}

function textOf({ today, waiting, closed, failing, doctor, reasons }: ServiceStatus, nowMs: number): string {
  const { recipients, unknown, oldestAtMs } = waiting;
  const age = oldestAtMs === null ? "" : `, the oldest for ${ageText(nowMs - oldestAtMs)}`;
  const names = (list: readonly string[]): string => (list.length === 0 ? "none" : list.join(", "));
  const isHealthy = reasons.length === 0;
  const rows = [
    [
      resultCell(isHealthy ? "ok" : "problem"),
      "today",
      `${pluralize(today.accepted, "recipient")} accepted, ${today.delivered} delivered, ${today.failed} failed; test messages do not count`,
    ],
    ["", "waiting", `${pluralize(recipients, "recipient")}${age}${unknown === 0 ? "" : `; ${unknown} unknown`}`],
    ["", "closed receivers", names(closed.map(({ name, state }) => `${name} (${state})`))],
    ["", "failing webhooks", names(failing.map(({ id, url }) => `${id} ${url}`))],
    ["", "doctor", doctorText(doctor)],
  ];
  return table(null, rows, "");
}

function doctorText({ problems, warnings }: ServiceStatus["doctor"]): string {
  if (problems.length > 0) return `problems: ${problems.join(", ")}`;
  return warnings.length === 0 ? "ok" : `ok; warnings: ${warnings.join(", ")}`;
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 120 ? pluralize(minutes, "minute") : pluralize(Math.floor(minutes / 60), "hour");
}
