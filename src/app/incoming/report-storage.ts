/** Stores a report of a receiver if it is about the domain of its address and has a place of the day, and counts it otherwise. */
import type { Clock } from "../../lib/clock.ts";
import type { SenderReport, UnreadReport } from "../../message/reports/sender-report.ts";
import type { IncomingMail } from "../../spool/port/incoming.ts";
import type { SenderReports } from "../../spool/port/sender-reports.ts";
import { type Decision, type IncomingOutcome, ignored } from "./incoming-decision.ts";
import type { IncomingRecipient } from "./incoming-recipients.ts";
import type { RefusalReason, ReportIntake } from "./report-intake.ts";
import type { ReportPlaces } from "./report-places.ts";
import { reportEffect } from "./sender-report.ts";

/** An address of a domain's return path with a name. */
export type NamedRecipient = Exclude<IncomingRecipient, { type: "bounces" }>;

export const isReportRecipient = (recipient: IncomingRecipient): recipient is NamedRecipient =>
  recipient.type === "dmarc_reports" || recipient.type === "tls_reports";

export interface ReportStorageParts {
  spool: Pick<SenderReports, "storeSenderReport">;
  places: Pick<ReportPlaces, "find">;
  intake: Pick<ReportIntake, "refuse">;
  /** Called once for each report that is not stored. */
  countRefused: (reason: RefusalReason) => void;
  /** The addresses that the service sends from. */
  sendingIps: () => readonly string[];
  clock: Clock;
}

const OUTCOMES: Readonly<Partial<Record<RefusalReason, IncomingOutcome>>> = {
  other_domain: "unmatched",
  other_time: "unmatched",
  share_used: "dropped",
  day_full: "dropped",
  too_slow: "unreadable",
};

type Origin = Pick<IncomingMail, "envelopeSender" | "ip">;

export class ReportStorage {
  readonly #parts: ReportStorageParts;

  constructor(parts: ReportStorageParts) {
    this.#parts = parts;
  }

  /** A report is stored once, so that nothing is counted twice if the process dies before the mail is deleted. */
  async store(report: SenderReport | UnreadReport, recipient: NamedRecipient, origin: Origin): Promise<Decision> {
    const { accountId, domain, domainId } = recipient;
    const { spool, clock, sendingIps, places } = this.#parts;
    const nowMs = clock.now();
    if (report.type === "unread") return this.refuse(recipient, origin, report.reason);
    const effect = reportEffect(report, { accountId, domain, sendingIps: sendingIps(), nowMs });
    if (effect.type === "none") return this.refuse(recipient, origin, effect.because);
    const place = await places.find({ domainId, kind: report.type, ip: origin.ip, nowMs });
    // If the process dies after it, the report is a repetition when the mail is read again, and no place is counted for it.
    const stored = await spool.storeSenderReport(effect, nowMs, place.type === "free");
    if (place.type === "none" && stored === "refused") return this.refuse(recipient, origin, place.because);
    if (place.type === "free" && stored === "stored") await place.take();
    return ignored("report");
  }

  /** Counts a report that is not stored, for the page of its domain. */
  async refuse({ domainId }: NamedRecipient, origin: Origin, reason: RefusalReason): Promise<Decision> {
    const { intake, clock, countRefused } = this.#parts;
    const { envelopeSender: sender, ip } = origin;
    await intake.refuse(domainId, { atMs: clock.now(), reason, sender, ip });
    countRefused(reason);
    return ignored(OUTCOMES[reason] ?? "unknown");
  }
}
