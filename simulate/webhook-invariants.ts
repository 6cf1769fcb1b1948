/**
 * Compares what the receivers of webhooks got with the outbox after a run. Each function checks one guarantee. Reads the tables
 * directly, to be independent of the code under test.
 */
import type { Database } from "better-sqlite3";
import type { History, Receipt } from "./history.ts";
import { isExchangerOf } from "./limited-receivers.ts";
import { groupBy, SHOWN_EVENTS, type StoredEvent } from "./outbox-invariants.ts";

interface StoredAttempt {
  endpointId: string;
  eventId: string;
  attempt: number;
  result: "sent" | "deferred" | "given_up";
}

/** What one endpoint got, with what it must and may get. */
interface EndpointCase {
  endpointId: string;
  history: History;
  /** In the order of their numbers. */
  events: StoredEvent[];
  receipts: Receipt[];
  attempts: StoredAttempt[];
  isWanted: (event: StoredEvent) => boolean;
}

/** Counts the endpoints that have not got all events yet. */
export const ENDPOINTS_BEHIND = `SELECT count(*) FROM endpoints e
  WHERE position < (SELECT max(number) FROM events WHERE type IS NOT NULL) OR EXISTS (SELECT 1 FROM endpoint_retries WHERE endpoint_id = e.id)`;

const ATTEMPTS_MIN = 10;

/** Records what the spool has of each endpoint when a process incarnation starts. */
export function recordEndpoints(db: Database, history: History, incarnation: number): void {
  const endpoints = db.prepare<[], [string, number]>("SELECT id, position FROM endpoints ORDER BY id").raw().all();
  const waiting = db.prepare<[string], [number, number]>(
    "SELECT seq, next_number FROM endpoint_retries WHERE endpoint_id = ?",
  );
  for (const [endpointId, position] of endpoints) {
    const waitingFrom = new Map(waiting.raw().all(endpointId));
    history.endpointStarts.push({ endpointId, incarnation, position, waitingFrom });
  }
}

/** Describes each violated invariant of webhooks in one sentence. */
export function webhooksMatchOutbox(db: Database, history: History): string[] {
  const events = db.prepare<[], StoredEvent>(`${SHOWN_EVENTS} ORDER BY e.number`).all();
  const attempts = db
    .prepare<[], StoredAttempt>(
      `SELECT endpoint_id AS endpointId, event_id AS eventId, attempt, result FROM endpoint_attempts
         ORDER BY endpoint_id, number`,
    )
    .all();
  const endpoints = [...history.selections].map(([endpointId, selections]): EndpointCase => {
    const receipts = history.receipts.filter((receipt) => receipt.endpointId === endpointId);
    const own = attempts.filter((attempt) => attempt.endpointId === endpointId);
    const isWanted = ({ seq, type }: StoredEvent): boolean =>
      !history.damaged.has(seq) && selections.every((types) => types === null || types.some((each) => each === type));
    return { endpointId, history, events, receipts, attempts: own, isWanted };
  });
  const behind = db.prepare<[], number>(ENDPOINTS_BEHIND).pluck().get() ?? 0;
  return [
    ...(behind > 0 ? [`events still wait for ${behind} webhook endpoints`] : []),
    ...receiptsAreInOutbox(events, history),
    ...endpoints.flatMap((endpoint) => [
      ...onlySelectedEventsAreSent(endpoint),
      ...everyEventIsReceived(endpoint),
      ...givenUpAfterAllAttempts(endpoint),
      ...sentMeansReceived(endpoint),
      ...firstReceiptsAreInOrder(endpoint),
      ...repetitionsAreExplained(endpoint),
    ]),
  ];
}

const isSuccess = ({ status }: Receipt): boolean => status !== null && status >= 200 && status < 300;

interface ReceivedBody {
  type: string;
  data: { id: string; type: string; sequence: number; message_id: string; recipient: ReceivedRecipient | null };
}

interface ReceivedRecipient {
  smtp: { mx: string } | null;
  receiver: string | null;
}

/** Every request carries a committed event, and always the same bytes for the same webhook-id. */
function receiptsAreInOutbox(events: StoredEvent[], { receipts, damaged }: History): string[] {
  const known = new Map(events.map((event) => [event.id, event]));
  return [...groupBy(receipts, ({ eventId }) => eventId)].flatMap(([id, group]) => {
    const bodies = new Set(group.map(({ body }) => body));
    if (bodies.size > 1) return [`webhook ${id} had different bodies`];
    const event = known.get(id);
    if (event === undefined) return [`webhook ${id} is not in the outbox`];
    if (damaged.has(event.seq)) return [];
    const { type, data } = JSON.parse(String(group[0]?.body)) as ReceivedBody;
    const recipient = storedPart(data.recipient);
    const received = [type, data.type, data.id, data.sequence, data.message_id, JSON.stringify(recipient)];
    const detail = event.detail === null ? null : JSON.parse(event.detail);
    const stored = [event.type, event.type, id, event.sequence, event.messageId, JSON.stringify(detail)];
    return received.join() === stored.join() ? [] : [`webhook ${id} differs from its event: ${received.join()}`];
  });
}

/** The recipient without who gave its reply, which is derived from the host's name. */
function storedPart(recipient: ReceivedRecipient | null): unknown {
  if (recipient === null) return null;
  const { receiver, ...stored } = recipient;
  const mx = stored.smtp?.mx ?? null;
  return (mx === null ? receiver === null : isExchangerOf(receiver, mx)) ? stored : recipient;
}

/** An endpoint gets no event that none of its filters selects. */
function onlySelectedEventsAreSent({ endpointId, history, receipts, events }: EndpointCase): string[] {
  const selections = history.selections.get(endpointId) ?? [];
  const types = new Map(events.map(({ id, type }) => [id, type]));
  return receipts
    .map(({ eventId }) => types.get(eventId))
    .filter((type) => selections.every((selected) => selected?.every((each) => each !== type)))
    .map((type) => `${endpointId} got ${type}, which it did not select`);
}

const givenUpOf = (attempts: StoredAttempt[]): Set<string> =>
  new Set(attempts.filter(({ result }) => result === "given_up").map(({ eventId }) => eventId));

/** Every event that the endpoint selects got a success, unless it was given up. */
function everyEventIsReceived({ endpointId, events, receipts, attempts, isWanted }: EndpointCase): string[] {
  const received = new Set(receipts.filter(isSuccess).map(({ eventId }) => eventId));
  const givenUp = givenUpOf(attempts);
  return events
    .filter((event) => isWanted(event) && !received.has(event.id) && !givenUp.has(event.id))
    .map(({ number, type }) => `${endpointId} never got event ${number} (${type})`);
}

/** An event is given up only when at least ten attempts have failed. */
function givenUpAfterAllAttempts({ endpointId, attempts }: EndpointCase): string[] {
  const failures = groupBy(
    attempts.filter(({ result }) => result !== "sent"),
    ({ eventId }) => eventId,
  );
  return attempts.flatMap(({ result, attempt, eventId }) => {
    if (result !== "given_up") return [];
    const count = failures.get(eventId)?.length ?? 0;
    return attempt >= ATTEMPTS_MIN && count >= ATTEMPTS_MIN
      ? []
      : [`${endpointId}: ${eventId} was given up at attempt ${attempt} after ${count} failures`];
  });
}

/** An attempt is stored as sent only if the receiver responded with a success that reached the service. */
function sentMeansReceived({ endpointId, attempts, receipts }: EndpointCase): string[] {
  const seen = groupBy(
    receipts.filter((receipt) => isSuccess(receipt) && receipt.isSeen),
    ({ eventId }) => eventId,
  );
  const sent = groupBy(
    attempts.filter(({ result }) => result === "sent"),
    ({ eventId }) => eventId,
  );
  return [...sent].flatMap(([eventId, stored]) => {
    const count = seen.get(eventId)?.length ?? 0;
    return stored.length > count
      ? [`${endpointId}: ${eventId} is stored as sent ${stored.length} times, not ${count}`]
      : [];
  });
}

/** The first requests of a message's events come in their order, and so do the first successes, except after one given up. */
function firstReceiptsAreInOrder({ endpointId, events, receipts, attempts, isWanted }: EndpointCase): string[] {
  const givenUp = givenUpOf(attempts);
  const checked = events.filter((event) => isWanted(event) && !givenUp.has(event.id));
  const firsts = [firstIndexes(receipts), firstIndexes(receipts.map((r) => (isSuccess(r) ? r : null)))];
  return [...groupBy(checked, ({ seq }) => seq).values()].flatMap((ofMessage) =>
    firsts.flatMap((first) => {
      const received = ofMessage.filter(({ id }) => first.has(id));
      const indexes = received.map(({ id }) => first.get(id) as number);
      const late = indexes.findIndex((index, i) => index < (indexes[i - 1] ?? -1));
      return late === -1
        ? []
        : [
            `out of order: ${endpointId} got a later event before ${received[late]?.sequence} of ${received[late]?.messageId}`,
          ];
    }),
  );
}

function firstIndexes(receipts: readonly (Receipt | null)[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const [i, receipt] of receipts.entries())
    if (receipt !== null && !first.has(receipt.eventId)) first.set(receipt.eventId, i);
  return first;
}

/** How many changes of the endpoint an operator began before a receipt, in the incarnation that sent it. */
function changesBefore(receipt: Receipt, index: number, { endpointChanges }: History): number {
  return endpointChanges.filter(
    ({ endpointId, incarnation, receipts }) =>
      endpointId === receipt.endpointId && incarnation === receipt.incarnation && receipts <= index,
  ).length;
}

/**
 * One process incarnation sends an event again after a success only for a cause: each change by an operator is one, and after a
 * start each of two places that have the event, which are the events after the stored position and those that wait.
 */
function repetitionsAreExplained({ endpointId, history, events }: EndpointCase): string[] {
  const own = history.endpointStarts.filter((start) => start.endpointId === endpointId);
  const starts = new Map(own.map((start) => [start.incarnation, start]));
  const known = new Map(events.map((event) => [event.id, event]));
  const successes = new Map<string, number>();
  return history.receipts.flatMap((receipt, i) => {
    const [start, event] = [starts.get(receipt.incarnation), known.get(receipt.eventId)];
    if (receipt.endpointId !== endpointId || start === undefined || event === undefined) return [];
    const name = `${receipt.incarnation} ${receipt.eventId}`;
    const count = successes.get(name) ?? 0;
    if (isSuccess(receipt) && receipt.isSeen) successes.set(name, count + 1);
    const places = [event.number > start.position, event.number >= (start.waitingFrom.get(event.seq) ?? Infinity)];
    if (count < places.filter(Boolean).length + changesBefore(receipt, i, history)) return [];
    const shown = `event ${event.sequence} of ${event.messageId} in life ${receipt.incarnation}`;
    return [`repeated without a cause: ${endpointId} got ${shown} after ${count} successes`];
  });
}
