/**
 * The part of the facade for interventions in the queue, the quarantine, suppressed addresses, small stores and the request
 * log.
 */
import type { SentMessageQuery } from "../../../port/incoming.ts";
import type { KeyValueStore } from "../../../port/key-value.ts";
import type {
  Operations,
  ResumeRequest,
  ResumeResult,
  RetentionResult,
  RetentionStep,
  ShortenWaitsResult,
  ShortenWaitsStep,
} from "../../../port/operations.ts";
import type {
  DiscardedMessage,
  DiscardRequest,
  QuarantineOperations,
  QuarantineReport,
  RecheckResult,
  RecheckStep,
} from "../../../port/quarantine.ts";
import type { RequestLog } from "../../../port/request-log.ts";
import type { StsPolicies } from "../../../port/sts-policies.ts";
import { keyValueOperations } from "../../../store/accounts/key-values.ts";
import { decisionsOf } from "../../../store/decide/decisions.ts";
import { retriesOf } from "../../../store/decide/retries.ts";
import { schedulesOf } from "../../../store/decide/schedules.ts";
import type { RECIPIENT_DOMAIN_OPERATIONS } from "../../../store/operations.ts";
import { discardOperations } from "../../../store/quarantine/discards.ts";
import { requestLogOf } from "../../../store/reports/request-log.ts";
import { bind, type PortOf } from "../../operations.ts";
import type { PointReader } from "../connection/point-reader.ts";
import type { ReportsClient } from "../connection/reports-client.ts";
import type { WriterClient } from "../connection/writer-client.ts";
import { isDamage } from "../files/damage.ts";
import type { FoundDamage } from "../files/found-damage.ts";
import type { QuarantineChecker } from "../quarantine/quarantine-check.ts";
import { AccountsClient } from "./accounts-client.ts";

export interface OperationsParts {
  reports: ReportsClient;
  checker: QuarantineChecker;
  damage: FoundDamage;
}

/** The operations of the store are those of its subclass. */
type Part = Omit<Operations & StsPolicies, keyof PortOf<typeof RECIPIENT_DOMAIN_OPERATIONS>> &
  QuarantineOperations &
  KeyValueStore &
  RequestLog;

export abstract class OperationsClient extends AccountsClient implements Part {
  readonly reports: ReportsClient;
  protected readonly checker: QuarantineChecker;
  protected readonly damage: FoundDamage;
  readonly #values = bind(keyValueOperations, this.runner);
  readonly readValue = this.#values.readValue;
  readonly writeValue = this.#values.writeValue;
  /** The process that has the spool is its only node. */
  readonly readNodeValue = this.readValue;
  readonly writeNodeValue = this.writeValue;
  readonly #decisions = decisionsOf(this.runner, (messageId) => this.resultChanged(messageId));
  readonly resolve = this.#decisions.resolve;
  readonly cancel = this.#decisions.cancel;
  readonly #retries = retriesOf(this.runner, () => this.wake());
  readonly retry = this.#retries.retry;
  readonly retryFailed = this.#retries.retryFailed;
  readonly retryDomain = this.#retries.retryDomain;
  readonly reschedule = schedulesOf(this.runner, () => this.wake()).reschedule;
  readonly #discards = bind(discardOperations, this.runner);
  readonly #requestLog = requestLogOf(this.runner);
  readonly recordRequests = this.#requestLog.recordRequests;
  readonly requests = this.#requestLog.requests;
  readonly recordedRequest = this.#requestLog.recordedRequest;

  constructor(writer: WriterClient, reader: PointReader, { reports, checker, damage }: OperationsParts) {
    super({ writer, reader, reports });
    this.reports = reports;
    this.checker = checker;
    this.damage = damage;
  }

  /** Called when recipients may have become due. */
  protected abstract wake(): void;

  /** Called when the results of a message may have changed. */
  protected abstract resultChanged(messageId: string): void;

  sentMessage(query: SentMessageQuery): Promise<string | null> {
    return this.reader.read((reads) => reads.sentMessage(query));
  }

  async shortenWaits(step: ShortenWaitsStep): Promise<ShortenWaitsResult> {
    const shortened = await this.writer.request("shortenWaits", step);
    if (shortened.recipients > 0) this.wake();
    return shortened;
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

  async discardQuarantined(request: DiscardRequest): Promise<DiscardedMessage | null> {
    const discarded = await this.#discards.discardQuarantined(request);
    if (discarded?.messageId != null) this.resultChanged(discarded.messageId);
    return discarded;
  }

  async recheckQuarantined({ nowMs, result, ...part }: RecheckStep): Promise<RecheckResult> {
    const isEmpty = (await this.quarantined(0)).count === 0;
    const { sound, next } = isEmpty ? { sound: [], next: null } : await this.checker.check(part);
    const release = { seqs: sound, nowMs, result };
    const { released, isChanged } = await this.writer.request("releaseQuarantined", release);
    if (isChanged) this.wake();
    return { released, next };
  }

  /** No other process fetches. */
  beginStsFetch(): Promise<"begun"> {
    return Promise.resolve("begun");
  }

  failStsFetch(): Promise<void> {
    return Promise.resolve();
  }

  async readLiveNodeValues(name: string): Promise<string[]> {
    const text = await this.readNodeValue(name);
    return text === null ? [] : [text];
  }
}
