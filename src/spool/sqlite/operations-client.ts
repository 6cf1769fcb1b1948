/**
 * The part of the facade for interventions in the queue, the quarantine, suppressed addresses, small stores and the request
 * log.
 */
import type { KeyValueStore } from "../port/key-value.ts";
import type {
  CancelledRecipients,
  Operations,
  RecipientsDecision,
  Resolution,
  ResolvedRecipients,
  ResumeRequest,
  ResumeResult,
  RetentionResult,
  RetentionStep,
  RetryDomainRequest,
  RetryFailedResult,
  RetryFailedStep,
  RetryFilter,
  ShortenWaitsResult,
  ShortenWaitsStep,
} from "../port/operations.ts";
import type { QuarantineOperations, QuarantineReport, RecheckResult, RecheckStep } from "../port/quarantine.ts";
import type { ApiRequest, RequestFilter, RequestLog } from "../port/request-log.ts";
import type { ReportEffect, SenderReports } from "../port/sender-reports.ts";
import type { StsPolicies, StsPolicy } from "../port/sts-policies.ts";
import type { SuppressionFilter, Suppressions } from "../port/suppressions.ts";
import type { TlsDay, TlsSessionCounts, TlsSessions } from "../port/tls-sessions.ts";
import { isDamage } from "./damage.ts";
import type { FoundDamage } from "./found-damage.ts";
import { IncomingClient } from "./incoming-client.ts";
import type { PointReader } from "./point-reader.ts";
import type { QuarantineChecker } from "./quarantine-check.ts";
import type { ReportsClient } from "./reports-client.ts";
import type { WriterClient } from "./writer-client.ts";

export interface OperationsParts {
  reports: ReportsClient;
  checker: QuarantineChecker;
  damage: FoundDamage;
}

type Part = Operations &
  QuarantineOperations &
  Suppressions &
  StsPolicies &
  KeyValueStore &
  RequestLog &
  SenderReports &
  TlsSessionCounts;

export abstract class OperationsClient extends IncomingClient implements Part {
  readonly reports: ReportsClient;
  protected readonly checker: QuarantineChecker;
  protected readonly damage: FoundDamage;

  constructor(writer: WriterClient, reader: PointReader, { reports, checker, damage }: OperationsParts) {
    super(writer, reader);
    this.reports = reports;
    this.checker = checker;
    this.damage = damage;
  }

  /** Called when recipients may have become due. */
  protected abstract wake(): void;

  async retry(filter: RetryFilter): Promise<number> {
    const count = await this.writer.request("retry", filter);
    this.wake();
    return count;
  }

  async retryFailed(step: RetryFailedStep): Promise<RetryFailedResult> {
    const retried = await this.writer.request("retryFailed", step);
    this.wake();
    return retried;
  }

  async resolve(resolution: Resolution): Promise<ResolvedRecipients> {
    const resolved = await this.writer.request("resolve", resolution);
    for (const { messageId } of resolution.recipients) this.resultChanged(messageId);
    return resolved;
  }

  async cancel(decision: RecipientsDecision): Promise<CancelledRecipients> {
    const cancelled = await this.writer.request("cancel", decision);
    for (const { messageId } of decision.recipients) this.resultChanged(messageId);
    return cancelled;
  }

  async retryDomain(request: RetryDomainRequest): Promise<number> {
    const count = await this.writer.request("retryDomain", request);
    this.wake();
    return count;
  }

  async shortenWaits(step: ShortenWaitsStep): Promise<ShortenWaitsResult> {
    const shortened = await this.writer.request("shortenWaits", step);
    if (shortened.recipients > 0) this.wake();
    return shortened;
  }

  pauseDomain(domain: string, atMs: number): Promise<void> {
    return this.writer.request("pauseDomain", { domain, atMs });
  }

  async resumeDomain(domain: string): Promise<boolean> {
    const resumed = await this.writer.request("resumeDomain", domain);
    this.wake();
    return resumed;
  }

  pausedDomains() {
    return this.reader.read((reads) => reads.pausedDomains());
  }

  async resumeDelivery(request: ResumeRequest): Promise<ResumeResult | null> {
    const resumed = await this.writer.request("resumeDelivery", request);
    this.wake();
    return resumed;
  }

  applyRetention(step: RetentionStep): Promise<RetentionResult> {
    return this.writer.request("applyRetention", step);
  }

  quarantined(limit: number): Promise<QuarantineReport> {
    return this.reader.read((reads) => {
      const places = this.damage.lines();
      try {
        return { ...reads.quarantined(limit), places };
      } catch (error) {
        if (!isDamage(error)) throw error;
        const place = `the list of quarantined messages: ${(error as Error).message}`;
        return { count: 0, messages: [], places: [...places, place] };
      }
    });
  }

  async recheckQuarantined({ nowMs, result, ...part }: RecheckStep): Promise<RecheckResult> {
    const isEmpty = (await this.quarantined(0)).count === 0;
    const { sound, next } = isEmpty ? { sound: [], next: null } : await this.checker.check(part);
    const release = { seqs: sound, nowMs, result };
    const { released, isChanged } = await this.writer.request("releaseQuarantined", release);
    if (isChanged) this.wake();
    return { released, next };
  }

  /** Read in the reports' thread, because an account may have many refused addresses. */
  suppressions(filter: SuppressionFilter) {
    return this.reports.suppressions(filter);
  }

  unsuppress(accountId: string, email: string): Promise<boolean> {
    return this.writer.request("unsuppress", { accountId, email });
  }

  stsPolicy(domain: string) {
    return this.reader.read((reads) => reads.stsPolicy(domain));
  }

  /** No other process fetches. */
  beginStsFetch(): Promise<"begun"> {
    return Promise.resolve("begun");
  }

  failStsFetch(): Promise<void> {
    return Promise.resolve();
  }

  storeStsPolicy(policy: StsPolicy): Promise<void> {
    return this.writer.request("storeStsPolicy", policy);
  }

  readValue(name: string) {
    return this.reader.read((reads) => reads.readValue(name));
  }

  writeValue(name: string, text: string): Promise<void> {
    return this.writer.request("writeValue", { name, text });
  }

  /** The process that has the spool is its only node. */
  readNodeValue(name: string): Promise<string | null> {
    return this.readValue(name);
  }

  async readLiveNodeValues(name: string): Promise<string[]> {
    const text = await this.readNodeValue(name);
    return text === null ? [] : [text];
  }

  writeNodeValue(name: string, text: string): Promise<void> {
    return this.writeValue(name, text);
  }

  recordRequests(requests: readonly ApiRequest[], nowMs: number): Promise<void> {
    return this.writer.request("recordRequests", { requests, nowMs });
  }

  storeSenderReport(effect: ReportEffect, atMs: number): Promise<boolean> {
    return this.writer.request("storeSenderReport", { effect, atMs });
  }

  reportedWeeks(accountId: string, domain: string) {
    return this.reports.reportedWeeks(accountId, domain);
  }

  weekReports(accountId: string, domain: string, weekMs: number) {
    return this.reports.weekReports(accountId, domain, weekMs);
  }

  addTlsSessions(added: readonly TlsSessions[]): Promise<void> {
    return this.writer.request("addTlsSessions", added);
  }

  tlsDays(beforeDay: number, after: TlsDay | null, limit: number) {
    return this.reader.read((reads) => reads.tlsDays(beforeDay, after, limit));
  }

  tlsSessions(of: TlsDay) {
    return this.reader.read((reads) => reads.tlsSessions(of));
  }

  removeTlsSessions(of: TlsDay): Promise<void> {
    return this.writer.request("removeTlsSessions", of);
  }

  /** Read in the reports' thread, because a filter may pass over many requests. */
  requests(filter: RequestFilter) {
    return this.reports.requests(filter);
  }
}
