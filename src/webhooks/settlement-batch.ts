/**
 * Gathers what happened at one endpoint since its last settlement. Order keys of failed events, of retries and of events that
 * wait behind them are held until the settlement is committed: only then do reads of the spool show what waits.
 */
import type { DisabledReason, WebhookResult, WebhookSettlement } from "../spool/port/webhooks.ts";
import type { BlockedEvent } from "./event-window.ts";

export class SettlementBatch {
  readonly results: WebhookResult[] = [];
  readonly blocked: BlockedEvent[] = [];
  readonly gone: number[] = [];
  /** Order keys that are held until the commit, each as often as it was held. */
  readonly keys: number[] = [];
  isRecovered = false;
  disable: DisabledReason | null = null;

  get isEmpty(): boolean {
    return this.results.length + this.blocked.length + this.gone.length === 0;
  }

  /** Adds what happened after this batch. */
  append(later: SettlementBatch): void {
    this.results.push(...later.results);
    this.blocked.push(...later.blocked);
    this.gone.push(...later.gone);
    this.keys.push(...later.keys);
    this.isRecovered ||= later.isRecovered;
    this.disable ??= later.disable;
  }

  settlement(of: Pick<WebhookSettlement, "endpointId" | "version" | "atMs" | "position">): WebhookSettlement {
    const { results, blocked, gone, isRecovered, disable } = this;
    return { ...of, results, blocked, gone, isRecovered, disable };
  }
}
