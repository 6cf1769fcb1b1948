/**
 * Gathers what happened at one endpoint since its last settlement. Order keys of failed events, of retries and of blocked events
 * stay busy until the settlement is committed: only then do reads of the spool show what waits for them.
 */
import type { DisabledReason, WebhookResult, WebhookSettlement } from "../spool/port/webhooks.ts";
import type { BlockedEvent } from "./event-window.ts";

export class SettlementBatch {
  readonly results: WebhookResult[] = [];
  readonly blocked: BlockedEvent[] = [];
  readonly gone: number[] = [];
  /** Order keys that are busy until the commit. */
  readonly keys = new Set<number>();
  isRecovered = false;
  disable: DisabledReason | null = null;

  get isEmpty(): boolean {
    return this.results.length + this.blocked.length + this.gone.length === 0;
  }

  /** Adds events that wait behind an earlier one of their order key. */
  addBlocked(events: readonly BlockedEvent[]): void {
    this.blocked.push(...events);
    for (const { orderKey } of events) this.keys.add(orderKey);
  }

  /** Adds order keys of which nothing is left to send. */
  addGone(orderKeys: readonly number[]): void {
    this.gone.push(...orderKeys);
    for (const orderKey of orderKeys) this.keys.add(orderKey);
  }

  /** Adds what happened after this batch. */
  append(later: SettlementBatch): void {
    this.results.push(...later.results);
    this.blocked.push(...later.blocked);
    this.gone.push(...later.gone);
    for (const key of later.keys) this.keys.add(key);
    this.isRecovered ||= later.isRecovered;
    this.disable ??= later.disable;
  }

  settlement(of: Pick<WebhookSettlement, "endpointId" | "version" | "atMs" | "position">): WebhookSettlement {
    const { results, blocked, gone, isRecovered, disable } = this;
    return { ...of, results, blocked, gone, isRecovered, disable };
  }
}
