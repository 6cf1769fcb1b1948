/**
 * What the overview compares and judges by, which it asks for with each poll: the figures of the same time before, and the reasons why
 * the service's mail is not healthy. Both are kept for a few seconds.
 */
import type { HostState } from "../../app/installation/host-watch.ts";
import { blockedOf, blockedReason, doctorReason, serviceStatus } from "../../app/reports/service-status.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import type { Activity } from "../../spool/port/reports.ts";
import { activityIn, momentsOf, type TimeRange } from "../views/chart-ranges.ts";
import type { DashboardParts } from "../web/parts.ts";

const KEPT_MS = 15_000;
const KEPT_MAX = 200;

const keptFor = <T>({ clock }: Pick<DashboardParts, "clock">): TtlCache<T> =>
  new TtlCache<T>({ clock, keptMs: KEPT_MS, max: KEPT_MAX, worthKeeping: () => true });

/** The figures of the time before a range, of the same length. */
export class Comparison {
  readonly #reports: DashboardParts["reports"];
  readonly #kept: TtlCache<Activity["total"]>;

  constructor(parts: Pick<DashboardParts, "reports" | "clock">) {
    this.#reports = parts.reports;
    this.#kept = keptFor(parts);
  }

  before({ range, accountId, nowMs }: { range: TimeRange; accountId: string | null; nowMs: number }) {
    const { sinceMs } = momentsOf(range, nowMs);
    return this.#kept.get(`${accountId} ${range.name} ${sinceMs}`, async () => {
      const { total } = await activityIn(this.#reports, { range, accountId, nowMs: nowMs - range.spanMs });
      return total;
    });
  }
}

type VerdictParts = Pick<DashboardParts, "clock" | "reports" | "spool" | "traffic" | "destinationLimits">;

export interface Verdict {
  isHealthy: boolean;
  /** Why mail is not healthy, in sentences, without what the list of actions names. */
  reasons: string[];
  /** The names of the receivers that reject an address of the service. */
  blocked: string[];
}

/** Whether the mail of the whole service is healthy, for operators. */
export class ServiceVerdict {
  readonly #parts: VerdictParts;
  readonly #kept: TtlCache<Verdict>;

  constructor(parts: VerdictParts) {
    this.#parts = parts;
    this.#kept = keptFor(parts);
  }

  read({ examinedAtMs, findings }: Pick<HostState, "examinedAtMs" | "findings">, nowMs: number): Promise<Verdict> {
    const { reports, spool, traffic, destinationLimits: configured } = this.#parts;
    return this.#kept.get(`${examinedAtMs}`, async () => {
      const sources = { reports, endpoints: spool, findings: findings ?? [], spool, configured, nowMs };
      const { reasons, closed, doctor } = await serviceStatus({ ...sources, traffic: await traffic() });
      const blocked = blockedOf(closed);
      const listed = [doctorReason(doctor.problems), blockedReason(blocked)];
      return { isHealthy: reasons.length === 0, reasons: reasons.filter((each) => !listed.includes(each)), blocked };
    });
  }
}
