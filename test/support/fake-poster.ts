/** A spool with one webhook endpoint, and a poster whose responses a test decides. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openSqliteSpool, type SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { OutboxEvent } from "../../src/spool/port/events.ts";
import type { NewEndpoint } from "../../src/spool/port/webhooks.ts";
import type { Poster, PostRequest, PostResponse } from "../../src/webhooks/poster.ts";
import { tempDir } from "./temp-dir.ts";

export const newEndpoint: NewEndpoint = {
  id: "end_1",
  accountId: "acc_default",
  url: "https://hooks.example/in",
  types: null,
  keys: null,
  domains: null,
  createdAtMs: 1,
  sealedSecret: Buffer.from("sealed"),
  endpointsMax: 10,
};

export async function openTestSpool(t: TestContext): Promise<SqliteStore> {
  const spool = await openSqliteSpool({
    dataDir: join(tempDir(t), "data"),
    role: "client",
    onFatal: (error) => assert.fail(error),
  });
  t.after(() => spool.close());
  return spool;
}

/** A request that waits for its response. */
export interface HeldPost {
  request: PostRequest;
  event: { id: string; type: string; sequence: number; message_id: string };
  respond(status: number | null, more?: Partial<PostResponse>): void;
}

/** Records requests. A test answers each of them, or sets `status` to have all answered at once. */
export class FakePoster implements Poster {
  readonly posts: HeldPost[] = [];
  /** By webhook-id, in order: what was answered. */
  readonly answered: { id: string; status: number | null }[] = [];
  status: ((event: HeldPost["event"]) => number | null) | null = null;
  atOnce = 0;
  atOnceMax = 0;

  post(request: PostRequest): Promise<PostResponse> {
    this.atOnce += 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.atOnce);
    const event = JSON.parse(request.body).data as HeldPost["event"];
    return new Promise((resolve) => {
      const respond: HeldPost["respond"] = (status, more = {}) => {
        this.atOnce -= 1;
        this.answered.push({ id: request.id, status });
        resolve({
          status,
          error: status === null ? "connection refused" : null,
          response: "",
          durationMs: 1,
          retryAfterMs: null,
          ...more,
        });
      };
      if (this.status !== null) return setImmediate(() => respond(this.status?.(event) ?? null));
      this.posts.push({ request, event, respond });
    });
  }

  async close(): Promise<void> {}

  /** Ids of the events with a 2xx, in the order of their responses. */
  get received(): string[] {
    return this.answered.filter(({ status }) => status !== null && status < 300).map(({ id }) => id);
  }
}

/** Waits until the condition holds, for at most some thousand iterations of the event loop. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 20_000; i += 1) {
    if (await holds()) return;
    await new Promise(setImmediate);
  }
  assert.fail(`did not happen: ${what}`);
}

/** All events of the account. */
export async function allEvents(spool: Pick<SqliteStore, "events">): Promise<OutboxEvent[]> {
  const filter = { types: null, keys: null, domains: null };
  const events: OutboxEvent[] = [];
  for (let afterNumber: number | null = null; ; ) {
    const query = { accountId: "acc_default", afterNumber, filter, withDomains: true, limit: 1000 };
    const page = await spool.events(query);
    if (page === "expired") assert.fail("expired");
    events.push(...page.events);
    if (page.isEnd) return events;
    afterNumber = page.throughNumber;
  }
}
