/**
 * Compares what the webhook receiver recorded with the outbox. Pure: the rows, the records and the times of kills are
 * arguments. Reads the rows directly from the tables, to be independent of the code under test.
 */

import type { Database } from "better-sqlite3";
import { SHOWN_EVENTS } from "../simulate/outbox-invariants.ts";
import type { Arrival, ReceiverRecord } from "./webhook-receiver.ts";

export interface OutboxRow {
  id: string;
  number: number;
  seq: number;
  sequence: number;
  type: string;
  detail: string | null;
  messageId: string;
}

export interface RecipientRow {
  seq: number;
  email: string;
  state: string;
  reason: string | null;
  category: string | null;
  attempts: number;
  smtp: string | null;
}

export interface StoredWebhooks {
  /** In the order of their numbers. */
  events: OutboxRow[];
  recipients: RecipientRow[];
}

/** An event that was given up after its last attempt. */
export interface GivenUp {
  endpointId: string;
  eventId: string;
  eventNumber: number;
  /** The number of that attempt. */
  attempt: number;
}

export interface EndpointUnderTest {
  path: string;
  /** Null: all. */
  types: string[] | null;
}

/** In milliseconds since the epoch. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** What happened to the service. */
export interface Disturbances {
  /**
   * From the end of the killed process until the next one is ready: meanwhile the receiver may still read, and answer, what
   * the killed one has sent.
   */
  kills: Span[];
  /**
   * Changes of an endpoint by an operator, each until the sender has seen it. Until then the position is not stored, so
   * all events that arrive meanwhile are sent again.
   */
  changes: Span[];
}

export interface Comparison {
  violations: string[];
  requests: number;
  /** Requests with an id whose 2xx the service may have received before. */
  repeats: number;
  /** Of them, those whose first answer the service probably received. */
  repeatsAfterKill: number;
  repeatsAfterChange: number;
  /** The most such events of one endpoint after one kill or change. */
  mostAtOnce: number;
}

/**
 * Events that one endpoint may get again after a kill or a change, although the service has received a 2xx for them: 64
 * since the stored position, and retries whose result is not stored, 64 and those under way.
 */
const REPEATS_MAX = 64 + 64 + 8;
/** An answer that took longer may have been written when the service had given up. */
const PATIENCE_MS = 14_000;
/** The attempts that are made before an event is given up. More are made if the endpoint is down at the tenth. */
const ATTEMPTS_MIN = 10;
const SHOWN_MAX = 5;

/** Reads the outbox of messages, and the recipients. */
export function readStoredWebhooks(db: Database): StoredWebhooks {
  return {
    events: db.prepare<[], OutboxRow>(`${SHOWN_EVENTS} AND m.id IS NOT NULL ORDER BY e.number`).all(),
    recipients: db
      .prepare<[], RecipientRow>(
        "SELECT seq, email, iif(mark IS NULL, result, 'marked') AS state, reason, category, attempts, smtp FROM recipient_states ORDER BY seq, position",
      )
      .all(),
  };
}

/** Reads the events that were given up; the log of attempts keeps the newest ones only. */
export function readGivenUp(db: Database): GivenUp[] {
  return db
    .prepare<[], GivenUp>(
      `SELECT endpoint_id AS endpointId, event_id AS eventId, event_number AS eventNumber, attempt
         FROM endpoint_attempts WHERE result = 'given_up'`,
    )
    .all();
}

export interface Observed {
  records: ReceiverRecord[];
  disturbances: Disturbances;
  /** Of this endpoint; a person has asked for each of them again. */
  givenUp: GivenUp[];
}

/** Compares one endpoint's requests with the events that it selects. */
export function compareEndpoint(
  { path, types }: EndpointUnderTest,
  events: OutboxRow[],
  { records, disturbances, givenUp }: Observed,
): Comparison {
  const requests = requestsOf(path, records);
  const selected = events.filter(({ type }) => types === null || types.includes(type));
  const repeats = classifyRepeats(requests, disturbances);
  const violations = [
    ...eventsArrived(selected, requests),
    ...nothingElseArrived(selected, requests),
    ...orderIsKept(selected, requests, new Set(givenUp.map(({ eventId }) => eventId))),
    ...bodiesAreEqual(requests),
    ...requests.filter(({ isVerified }) => !isVerified).map(({ id }) => `the signature of ${id} is wrong`),
    ...givenUp
      .filter(({ attempt }) => attempt < ATTEMPTS_MIN)
      .map(({ eventId, attempt }) => `${eventId} was given up after ${attempt} attempts`),
    ...repeats.violations,
  ];
  const { afterKill: repeatsAfterKill, afterChange: repeatsAfterChange, mostAtOnce } = repeats;
  return {
    violations: shortened(violations).map((violation) => `${path}: ${violation}`),
    requests: requests.length,
    repeats: repeats.all,
    repeatsAfterKill,
    repeatsAfterChange,
    mostAtOnce,
  };
}

/** Each message that was answered with 202 has its events, without a gap, and each recipient's last event is its row. */
export function checkOutbox({ events, recipients }: StoredWebhooks, acceptedIds: string[]): string[] {
  const sequences = new Map<string, OutboxRow[]>();
  for (const event of events) {
    const known = sequences.get(event.messageId);
    if (known === undefined) sequences.set(event.messageId, [event]);
    else known.push(event);
  }
  const withoutEvent = acceptedIds.filter((id) => sequences.get(id)?.[0]?.type !== "message.accepted");
  const withGap = [...sequences].filter(([, all]) => all.some(({ sequence }, i) => sequence !== i + 1));
  return shortened([
    ...withoutEvent.map((id) => `${id} was answered with 202, but its first event is not message.accepted`),
    ...withGap.map(([id, all]) => `${id} has the sequences ${all.map(({ sequence }) => sequence).join()}`),
    ...lastEventsAreRows(events, recipients),
  ]);
}

function lastEventsAreRows(events: OutboxRow[], recipients: RecipientRow[]): string[] {
  const last = new Map<string, unknown>();
  for (const { seq, detail } of events) {
    if (detail === null) continue;
    const recipient = JSON.parse(detail) as { email: string };
    last.set(`${seq} ${recipient.email}`, recipient);
  }
  return recipients.flatMap(({ seq, email, state, reason, category, attempts, smtp }) => {
    const row = { email, result: state, reason, category, attempts, smtp: smtp === null ? null : JSON.parse(smtp) };
    const [found, wanted] = [JSON.stringify(last.get(`${seq} ${email}`)), JSON.stringify(row)];
    return found === wanted ? [] : [`the last event of ${email} is ${found}, its row ${wanted}`];
  });
}

interface Request extends Arrival {
  /** When a 2xx was written, if it was; the service may have received it. */
  acceptedAtMs: number | null;
  /** Whether the 2xx was complete and in time: unless it was killed, the service has received it. */
  isReceived: boolean;
}

/** In the order of their arrival. */
function requestsOf(path: string, records: ReceiverRecord[]): Request[] {
  const requests = new Map<string, Request>();
  for (const record of records) {
    if (record.record === "arrival") {
      if (record.path === path) requests.set(record.request, { ...record, acceptedAtMs: null, isReceived: false });
      continue;
    }
    const request = requests.get(record.request);
    if (request === undefined || record.status >= 300) continue;
    if (record.record === "answering") request.acceptedAtMs = record.atMs;
    else request.isReceived = record.atMs - request.atMs < PATIENCE_MS;
  }
  return [...requests.values()];
}

function eventsArrived(selected: OutboxRow[], requests: Request[]): string[] {
  const accepted = new Set(requests.filter(({ acceptedAtMs }) => acceptedAtMs !== null).map(({ id }) => id));
  return selected
    .filter(({ id }) => !accepted.has(id))
    .map(({ id, type, messageId, sequence }) => `lost: ${id} (${type}, ${messageId} ${sequence}) got no 2xx`);
}

function nothingElseArrived(selected: OutboxRow[], requests: Request[]): string[] {
  const events = new Map(selected.map((event) => [event.id, event]));
  return requests.flatMap(({ id, eventId, type, messageId, sequence }) => {
    const event = events.get(id);
    if (event === undefined) return [`${id} is not in the outbox, or not selected`];
    const isSame =
      eventId === id && type === event.type && messageId === event.messageId && sequence === event.sequence;
    return isSame ? [] : [`${id} has the body of ${eventId}, ${type}, ${messageId} ${sequence}`];
  });
}

/** An event first arrives after the earlier ones of its message were answered with 2xx or given up. */
function orderIsKept(selected: OutboxRow[], requests: Request[], givenUp: ReadonlySet<string>): string[] {
  const [arrived, accepted] = [new Map<string, number>(), new Map<string, number>()];
  requests.forEach(({ id, acceptedAtMs }, i) => {
    if (!arrived.has(id)) arrived.set(id, i);
    if (acceptedAtMs !== null && !accepted.has(id)) accepted.set(id, i);
  });
  const previous = new Map<number, OutboxRow>();
  return selected.flatMap((event) => {
    const before = previous.get(event.seq);
    previous.set(event.seq, event);
    if (before === undefined || givenUp.has(before.id)) return [];
    const isInOrder = (accepted.get(before.id) ?? Infinity) < (arrived.get(event.id) ?? Infinity);
    return isInOrder ? [] : [`order: ${event.messageId} ${event.sequence} came before a 2xx for ${before.sequence}`];
  });
}

function bodiesAreEqual(requests: Request[]): string[] {
  const hashes = new Map<string, string>();
  return requests.flatMap(({ id, bodyHash }) => {
    const first = hashes.get(id) ?? bodyHash;
    hashes.set(id, first);
    return first === bodyHash ? [] : [`${id} arrived with two bodies`];
  });
}

/** A repeat of what the service had received follows a kill of the service, or an operator's change. */
function classifyRepeats(requests: Request[], { kills, changes }: Disturbances) {
  const causes = [...kills, ...changes].sort((a, b) => a.fromMs - b.fromMs);
  const earlier = new Map<string, Request>();
  const idsByCause = new Map<Span, Set<string>>();
  const counts = { all: 0, afterKill: 0, afterChange: 0, mostAtOnce: 0 };
  const violations: string[] = [];
  for (const request of requests) {
    const before = earlier.get(request.id);
    if (request.acceptedAtMs !== null && (before === undefined || request.isReceived)) earlier.set(request.id, request);
    if (before === undefined) continue;
    counts.all += 1;
    if (!before.isReceived) continue;
    const cause = causes.findLast(({ fromMs, toMs }) => before.atMs <= toMs && fromMs <= request.atMs);
    if (changes.some(({ fromMs, toMs }) => fromMs <= before.atMs && before.atMs <= toMs)) counts.afterChange += 1;
    else if (cause === undefined) violations.push(`${request.id} arrived again, though its 2xx was received`);
    else {
      counts[kills.includes(cause) ? "afterKill" : "afterChange"] += 1;
      idsByCause.set(cause, (idsByCause.get(cause) ?? new Set()).add(request.id));
    }
  }
  for (const { size } of idsByCause.values()) {
    counts.mostAtOnce = Math.max(counts.mostAtOnce, size);
    if (size > REPEATS_MAX) violations.push(`${size} events arrived again after one kill or change`);
  }
  return { ...counts, violations };
}

/** The first violations of a run, and how many there are. */
function shortened(violations: string[]): string[] {
  if (violations.length <= SHOWN_MAX) return violations;
  return [...violations.slice(0, SHOWN_MAX), `and ${violations.length - SHOWN_MAX} more`];
}
