/**
 * Runs a sender for each active endpoint whose shard is this process's duty. Decides which senders there are and wakes them;
 * endpoint-sender.ts decides what is sent. Each change of an endpoint replaces its sender once the attempts under way have ended.
 */
import type { Clock } from "../lib/clock.ts";
import { InterruptibleSleep } from "../lib/interruptible-sleep.ts";
import type { Logger } from "../lib/log.ts";
import { type Vault, webhookSealName } from "../security/vault.ts";
import { readDeliveryPause } from "../spool/port/delivery-pause.ts";
import { type Duties, type Tenure, WEBHOOK_SHARDS, webhookShard } from "../spool/port/duties.ts";
import type { Events } from "../spool/port/events.ts";
import type { KeyValueStore } from "../spool/port/key-value.ts";
import type { Endpoint, Webhooks } from "../spool/port/webhooks.ts";
import { EndpointSender, type SenderParts } from "./endpoint-sender.ts";
import { PostSlots } from "./post-slots.ts";

/** Endpoints are read again after this time at the latest: delivery may have been resumed after a restore. */
const RELOAD_MS = 60_000;
/** After an error of the spool. */
const RELOAD_RETRY_MS = 1000;

export interface DispatcherParts extends Omit<SenderParts, "queue" | "slots" | "secrets" | "mayStore"> {
  spool: Webhooks & Events & Pick<KeyValueStore, "readValue"> & { duties: Pick<Duties, "tenure" | "onChange"> };
  vault: Pick<Vault, "open">;
  clock: Clock;
  log: Logger;
}

interface OpenedSecret {
  text: string;
  /** As SealedSecret's. */
  untilMs: number | null;
}

interface RunningSender {
  sender: EndpointSender;
  accountId: string;
  tenure: Tenure;
  isEnding: boolean;
}

export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  readonly #slots = new PostSlots();
  readonly #senders = new Map<string, RunningSender>();
  /** Endpoints whose secret does not open, which was logged. */
  readonly #unopened = new Set<string>();
  #isLoading = false;
  #mustReload = false;
  #isStopped = false;
  #leave: (() => void)[] = [];
  #cancelReload: () => void = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  start(): void {
    const { spool } = this.#parts;
    const leaveEvents = spool.onEvents((accountIds) => {
      if (accountIds === null) void this.#reload();
      this.#wake(accountIds);
    });
    this.#leave = [leaveEvents, spool.duties.onChange(() => this.#followDuties())];
    void this.#reload();
  }

  /** Begins no further attempt. Resolves when those under way are stored, or after `limitMs`; the others are made again. */
  async stop(limitMs: number): Promise<void> {
    this.#isStopped = true;
    for (const leave of this.#leave) leave();
    this.#cancelReload();
    const limit = new InterruptibleSleep(this.#parts.clock);
    const ended = Promise.all([...this.#senders.values()].map(({ sender }) => sender.stop()));
    await Promise.race([ended, limit.for(limitMs)]);
    limit.interrupt();
    for (const { sender } of this.#senders.values()) sender.abandon();
  }

  #wake(accountIds: ReadonlySet<string> | null): void {
    for (const { sender, accountId, isEnding } of this.#senders.values()) {
      if (isEnding) continue;
      if (accountIds === null) sender.wakeRetries();
      else if (accountIds.has(accountId)) sender.wake();
    }
  }

  /** The events of endpoints whose duty is lost wait for the process that takes it. */
  #followDuties(): void {
    for (const [id, running] of this.#senders) if (this.#tenureOf(id) !== running.tenure) this.#end(id, running);
    void this.#reload();
  }

  #tenureOf(endpointId: string): Tenure | null {
    return this.#parts.spool.duties.tenure(webhookShard(endpointId));
  }

  async #reload(): Promise<void> {
    this.#mustReload = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    let delayMs = RELOAD_MS;
    while (this.#mustReload && !this.#isStopped) {
      this.#mustReload = false;
      try {
        await this.#load();
      } catch (error) {
        this.#parts.log.warn({ err: error }, "reading webhook endpoints failed, retrying");
        delayMs = RELOAD_RETRY_MS;
        break;
      }
    }
    this.#isLoading = false;
    if (this.#isStopped) return;
    this.#cancelReload();
    this.#cancelReload = this.#parts.clock.after(delayMs, () => void this.#reload());
  }

  async #load(): Promise<void> {
    const { spool } = this.#parts;
    // The process that had a duty before may have moved the positions that were read before it was taken.
    const tenures = new Set(WEBHOOK_SHARDS.map((shard) => spool.duties.tenure(shard)));
    // In a restored spool, the events before the pause ends are those of the original, which may still send them.
    const isPaused = (await readDeliveryPause(spool)) !== null;
    const endpoints = isPaused ? [] : await spool.endpoints(null);
    const active = new Map(endpoints.filter(isActive).map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, running] of this.#senders) {
      if (active.get(id)?.version !== running.sender.version) this.#end(id, running);
    }
    if (this.#isStopped) return;
    for (const [id, endpoint] of active) {
      const tenure = this.#senders.has(id) ? null : this.#tenureOf(id);
      if (tenure !== null && tenures.has(tenure)) this.#begin(endpoint, tenure);
    }
  }

  #end(id: string, running: RunningSender): void {
    if (running.isEnding) return;
    running.isEnding = true;
    void running.sender.stop().then(() => {
      this.#senders.delete(id);
      void this.#reload();
    });
  }

  #begin(endpoint: Endpoint, tenure: Tenure): void {
    const secrets = this.#openSecrets(endpoint);
    if (secrets === null) return;
    const { id, accountId } = endpoint;
    const { spool, disabled, ...parts } = this.#parts;
    const sender = new EndpointSender(endpoint, {
      ...parts,
      queue: spool,
      slots: this.#slots,
      mayStore: () => tenure.isLatest(),
      secrets: (nowMs) => secrets.filter(({ untilMs }) => untilMs === null || nowMs < untilMs).map(({ text }) => text),
      disabled: () => {
        disabled();
        void this.#reload();
      },
    });
    this.#senders.set(id, { sender, accountId, tenure, isEnding: false });
    sender.wake();
  }

  /** Returns null if the present secret does not open: it was sealed with another master key. A former one is left out. */
  #openSecrets({ id, secrets }: Endpoint): OpenedSecret[] | null {
    const { vault, log } = this.#parts;
    const opened: OpenedSecret[] = [];
    for (const { bytes, untilMs } of secrets) {
      try {
        opened.push({ text: vault.open(webhookSealName(id), bytes), untilMs });
      } catch (error) {
        if (untilMs !== null) continue;
        if (!this.#unopened.has(id)) log.error({ err: error, endpointId: id }, "webhook secret does not open");
        this.#unopened.add(id);
        return null;
      }
    }
    return opened;
  }
}

const isActive = ({ pausedAtMs, disabled }: Endpoint): boolean => pausedAtMs === null && disabled === null;
