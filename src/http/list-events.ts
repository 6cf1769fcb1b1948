/**
 * GET /api/sending/events: the events of the messages that a key may read, oldest first, from a cursor on. A request can wait
 * for the next event. The spool decides what an event is and how long it is kept.
 */
import type { Context } from "koa";
import { readScope } from "../app/send/key-access.ts";
import { eventView } from "../app/webhooks/event-view.ts";
import type { Clock } from "../lib/clock.ts";
import { IterationQueue } from "../lib/iteration-queue.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { Events } from "../spool/port/events.ts";
import { EventWaiters } from "./event-waiters.ts";
import { type LongPolls, WAIT_PARAMETER } from "./long-poll.ts";
import { limitReached } from "./overload/concurrency-limiter.ts";
import { LIMIT_DEFAULT, LIMIT_PARAMETER, type QuerySchema, queryReader } from "./request/query.ts";
import { Problem } from "./response/problems.ts";

/** Ten digits in base 36 are a safe integer. */
const CURSOR_DIGITS = 10;
const CURSOR_PREFIX = "p";
const CURSOR_RADIX = 36;

export const FEED_QUERY = {
  after: {
    type: "string",
    maxLength: CURSOR_PREFIX.length + CURSOR_DIGITS,
    pattern: `^${CURSOR_PREFIX}[0-9a-z]{1,${CURSOR_DIGITS}}$`,
    description: "the next of an earlier response",
  },
  limit: LIMIT_PARAMETER,
  wait: WAIT_PARAMETER,
} as const satisfies QuerySchema;

const readQuery = queryReader(FEED_QUERY);

/** A page ends after the event with which its JSON exceeds this size. An event with large metadata has 160 KB. */
const PAGE_BYTES = 512 * 1024;
/** Bounds the memory of one read: the spool returns whole events. */
const EVENTS_PER_READ = 25;
/** The spool reads a bounded number of events at a time, most of which may be of other keys. */
const READS_PER_PAGE = 20;

/** The time of all reads in one iteration of the event loop. One read takes up to 3 ms, or longer where metadata is large. */
const READS_MS = 3;
/** The requests of one account that wait for a read when another arrives. */
const WAITING_MAX = 200;

/** The held requests of one account. Each commit triggers a look for each of them. */
const HELD_MAX = 100;
/** Between two looks of one held request. */
const PAUSE_MS = 100;
/** With more held requests than this, an account's looks together are no more frequent than those of this many. */
const FREQUENT_POLLS = 10;

export interface FeedParts {
  spool: Events;
  polls: LongPolls;
  clock: Clock;
}

interface FeedReads {
  spool: Events;
  /** Serves the reads of all requests. A look is a read: none happens in the tick of a commit. */
  queue: IterationQueue;
}

/** Creates the endpoint. It is called with the key of the request. */
export function createFeed({ spool, polls, clock }: FeedParts): (ctx: Context, key: ApiKey) => Promise<void> {
  const waiters = new EventWaiters(spool);
  const reads = { spool, queue: new IterationQueue({ clock, budgetMs: READS_MS }) };
  return async (ctx, key) => {
    const { after, limit = LIMIT_DEFAULT, wait: waitS = 0 } = readQuery(ctx);
    const { accountId } = key;
    if (reads.queue.countOf(accountId) >= WAITING_MAX) throw limitReached("share_full");
    let page = await readPage(reads, key, { afterNumber: after === undefined ? null : numberOf(after), limit });
    if (waitS > 0 && page.events.length === 0) {
      if (waiters.countOf(accountId) >= HELD_MAX) throw limitReached("share_full");
      await polls.hold(ctx, {
        accountId,
        waitS,
        watch: (changed) => waiters.add(accountId, changed),
        async look() {
          page = await readPage(reads, key, { afterNumber: page.throughNumber, limit });
          if (page.events.length > 0) return "found";
          return page.isEnd ? "nothing" : "again";
        },
        pauseMs: () => PAUSE_MS * Math.max(1, waiters.countOf(accountId) / FREQUENT_POLLS),
      });
    }
    ctx.body = `{"events":[${page.events.join()}],"next":"${cursorOf(page.throughNumber)}"}`;
    ctx.type = "application/json";
  };
}

interface Page {
  /** As JSON. */
  events: string[];
  throughNumber: number;
  isEnd: boolean;
}

/** Reads until the page is full, no event follows, or enough was read for one request. Each read waits for its turn. */
async function readPage(
  { spool, queue }: FeedReads,
  key: ApiKey,
  { afterNumber, limit }: { afterNumber: number | null; limit: number },
): Promise<Page> {
  const { accountId } = key;
  const { keyId, domains } = readScope(key);
  const filter = { types: null, keys: keyId === null ? null : [keyId], domains };
  const query = { accountId, filter, withDomains: false };
  const events: string[] = [];
  let sizeBytes = 0;
  let throughNumber = afterNumber;
  for (let reads = 1; ; reads += 1) {
    await queue.turn(accountId);
    const missing = Math.min(limit - events.length, EVENTS_PER_READ);
    const read = await spool.events({ ...query, afterNumber: throughNumber, limit: missing });
    if (read === "expired") throw cursorExpired();
    for (const event of read.events) {
      const json = JSON.stringify(eventView(event));
      events.push(json);
      sizeBytes += Buffer.byteLength(json);
      if (sizeBytes > PAGE_BYTES) return { events, throughNumber: event.number, isEnd: false };
    }
    throughNumber = read.throughNumber;
    if (read.isEnd || events.length >= limit || reads === READS_PER_PAGE) {
      return { events, throughNumber, isEnd: read.isEnd };
    }
  }
}

const cursorOf = (number: number): string => CURSOR_PREFIX + number.toString(CURSOR_RADIX);

const numberOf = (cursor: string): number => Number.parseInt(cursor.slice(CURSOR_PREFIX.length), CURSOR_RADIX);

const cursorExpired = (): Problem =>
  new Problem(
    "cursor_expired",
    "Events after this cursor were deleted: events are kept as long as results (RETENTION_RESULTS). Or the cursor is ahead of all " +
      "events: a restored backup, or a failover of the database, has lost those before it. Begin again without the parameter after, at the oldest event that is kept.",
  );
