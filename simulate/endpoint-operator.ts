/** What an operator does with webhook endpoints, each action drawn from the seed and recorded in the history before it begins. */
import type { Database } from "better-sqlite3";
import { WebhookEndpoints } from "../src/app/webhooks/webhook-endpoints.ts";
import type { SqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import type { EventType } from "../src/spool/port/events.ts";
import { newSecret } from "../src/webhooks/signature.ts";
import type { History } from "./history.ts";
import type { Incarnation } from "./incarnation.ts";
import { ACCOUNT, urlOf, VAULT } from "./initial-spool.ts";
import type { Prng } from "./prng.ts";

interface EndpointOperatorOptions {
  incarnation: Incarnation;
  /** The number of the process incarnation. */
  number: number;
  spool: SqliteStore;
  /** The spool's file, to find what an operator would see. */
  db: Database;
  history: History;
}

type Action = (typeof ACTIONS)[number];

const ACTIONS = ["pause", "resume", "resume", "edit", "rotate", "replay", "replay_one"] as const;
const REPLAYED_MS = [1000, 7_200_000] as const;
/** An endpoint that had all events keeps them, so that it must receive every one. */
const SELECTIONS: readonly [EventType[] | null, ...(EventType[] | null)[]] = [
  null,
  ["message.accepted", "recipient.deferred"],
  ["recipient.delivered", "recipient.failed", "recipient.unknown"],
];
/** An operator resumes an endpoint rather than wait longer for events that failed. */
const PATIENCE_MS = 10 * 60_000;

export class EndpointOperator {
  readonly #options: EndpointOperatorOptions;

  constructor(parts: EndpointOperatorOptions) {
    this.#options = parts;
  }

  /** Changes an endpoint, or requests events again. Returns what it did; null if there is no endpoint or no event. */
  act(prng: Prng): Action | null {
    const [first, ...others] = this.#column<string>("SELECT id FROM endpoints ORDER BY id");
    if (first === undefined) return null;
    const endpointId = prng.pick([first, ...others]);
    const action = prng.pick(ACTIONS);
    return this.#run(action, endpointId, prng) ? action : null;
  }

  /** Resumes endpoints that are paused or disabled, and those with events that wait for long. */
  resumeWaiting(): void {
    const waiting = this.#column<string>(
      `SELECT id FROM endpoints e WHERE paused_at_ms IS NOT NULL OR disabled_at_ms IS NOT NULL OR EXISTS
         (SELECT 1 FROM endpoint_retries WHERE endpoint_id = e.id AND next_attempt_at_ms > ?) ORDER BY id`,
      this.#options.incarnation.clock.now() + PATIENCE_MS,
    );
    for (const endpointId of waiting) {
      this.#record("resume", endpointId);
      this.#endpoints(endpointId)
        .resume({ accountId: ACCOUNT, endpointId })
        .catch(() => {});
    }
  }

  #run(action: Action, endpointId: string, prng: Prng): boolean {
    const name = { accountId: ACCOUNT, endpointId };
    const endpoints = this.#endpoints(endpointId);
    let done: Promise<unknown> = Promise.resolve();
    if (action === "replay_one") {
      const [first, ...others] = this.#column<number>(
        "SELECT number FROM events WHERE type IS NOT NULL ORDER BY number",
      );
      if (first === undefined) return false;
      const eventNumber = prng.pick([first, ...others]);
      this.#record(action, endpointId);
      done = endpoints.replayOne(name, eventNumber);
    } else {
      this.#record(action, endpointId);
      if (action === "pause") done = endpoints.pause(name);
      if (action === "resume") done = endpoints.resume(name);
      if (action === "rotate") done = endpoints.rotate(name);
      if (action === "edit") done = this.#edit(endpointId, prng);
      if (action === "replay")
        done = endpoints.replay(name, this.#options.incarnation.clock.now() - prng.logUniform(REPLAYED_MS));
    }
    done.catch(() => {});
    return true;
  }

  #edit(endpointId: string, prng: Prng): Promise<unknown> {
    const selections = this.#options.history.selections.get(endpointId) ?? [];
    const types = selections[0] === null ? null : prng.pick(SELECTIONS);
    selections.push(types);
    const input = { url: `${urlOf(endpointId)}?edited`, types, keys: null, domains: null };
    return this.#endpoints(endpointId).edit({ accountId: ACCOUNT, endpointId }, input);
  }

  #endpoints(endpointId: string): WebhookEndpoints {
    const { spool, incarnation, history } = this.#options;
    return new WebhookEndpoints({
      store: spool,
      registry: spool,
      vault: async () => VAULT,
      clock: incarnation.clock,
      newSecret: () => {
        const secret = newSecret();
        // It may be stored although the reply is lost.
        history.secrets.get(endpointId)?.add(secret);
        return secret;
      },
      post: () => Promise.reject(new Error("the simulation sends no test events")),
      limits: { webhooksMax: 2, webhookAllowPrivate: false },
    });
  }

  #record(type: Action, endpointId: string): void {
    const { history, number } = this.#options;
    history.endpointChanges.push({ endpointId, type, incarnation: number, receipts: history.receipts.length });
  }

  #column<T>(sql: string, ...parameters: unknown[]): T[] {
    return this.#options.db
      .prepare<unknown[], T>(sql)
      .pluck()
      .all(...parameters) as T[];
  }
}
