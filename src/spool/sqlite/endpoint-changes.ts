/**
 * Changes of a webhook endpoint by a person, and that its account was notified. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { EndpointChange } from "../port/webhooks.ts";
import { storedList } from "../records/endpoint-row.ts";
import { PLACEHOLDER } from "./outbox.ts";
import type { Cloned, WriteHandlers } from "./writer-operations.ts";

type Change<T extends EndpointChange["change"]["type"]> = Extract<Cloned<EndpointChange["change"]>, { type: T }>;

/** Runs a change of an endpoint that exists. Returns false if it concerns an event that does not. */
type Run<T extends EndpointChange["change"]["type"]> = (endpoint: StoredEndpoint, change: Change<T>) => boolean;

interface StoredEndpoint {
  id: string;
  accountId: string;
  position: number;
}

export function prepareEndpointChanges(db: Database): Pick<WriteHandlers, "changeEndpoint"> {
  const find = db.prepare<[string, string], StoredEndpoint>(
    "SELECT id, account_id AS accountId, position FROM endpoints WHERE id = ? AND account_id = ?",
  );
  const run = prepareChanges(db);
  return {
    changeEndpoint({ accountId, endpointId, change }) {
      const endpoint = find.get(endpointId, accountId);
      return { value: endpoint !== undefined && run(endpoint, change) };
    },
  };
}

function prepareChanges(db: Database): (endpoint: StoredEndpoint, change: Cloned<EndpointChange["change"]>) => boolean {
  const edit = prepareEdit(db);
  const pause = preparePause(db);
  const resume = prepareResume(db);
  const rotate = prepareRotate(db);
  const replay = prepareReplay(db);
  const replayOne = prepareReplayOne(db);
  const notified = prepareNotified(db);
  return (endpoint, change) => {
    switch (change.type) {
      case "edit":
        return edit(endpoint, change);
      case "pause":
        return pause(endpoint, change);
      case "resume":
        return resume(endpoint, change);
      case "rotate":
        return rotate(endpoint, change);
      case "replay":
        return replay(endpoint, change);
      case "replay_one":
        return replayOne(endpoint, change);
      case "notified":
        return notified(endpoint, change);
    }
  };
}

function prepareEdit(db: Database): Run<"edit"> {
  const edit = db.prepare(
    `UPDATE endpoints SET url = @url, types = @types, keys = @keys, domains = @domains, version = version + 1,
         position_version = version + 1
       WHERE id = @id`,
  );
  return ({ id }, { url, types, keys, domains }) => {
    edit.run({ id, url, types: storedList(types), keys: storedList(keys), domains: storedList(domains) });
    return true;
  };
}

function preparePause(db: Database): Run<"pause"> {
  const pause = db.prepare(
    "UPDATE endpoints SET paused_at_ms = coalesce(paused_at_ms, ?), version = version + 1 WHERE id = ?",
  );
  return ({ id }, { atMs }) => {
    pause.run(atMs, id);
    return true;
  };
}

function prepareResume(db: Database): Run<"resume"> {
  const resume = db.prepare(
    `UPDATE endpoints SET paused_at_ms = NULL, disabled_at_ms = NULL, disabled_reason = NULL,
         failing_since_ms = NULL, version = version + 1 WHERE id = ?`,
  );
  const makeDue = db.prepare("UPDATE endpoint_retries SET next_attempt_at_ms = 0, attempts = 0 WHERE endpoint_id = ?");
  return ({ id }) => {
    resume.run(id);
    makeDue.run(id);
    return true;
  };
}

function prepareRotate(db: Database): Run<"rotate"> {
  const rotate = db.prepare(
    `UPDATE endpoints SET former_sealed_secret = sealed_secret, former_until_ms = ?, sealed_secret = ?,
         version = version + 1 WHERE id = ?`,
  );
  return ({ id }, { sealedSecret, formerUntilMs }) => {
    rotate.run(formerUntilMs, sealedSecret, id);
    return true;
  };
}

function prepareReplay(db: Database): Run<"replay"> {
  const positionBefore = prepareSearch(db);
  const setBack = db.prepare(
    "UPDATE endpoints SET position = ?, version = version + 1, position_version = version + 1 WHERE id = ?",
  );
  // The sender meets these events again.
  const drop = db.prepare("DELETE FROM endpoint_retries WHERE endpoint_id = ? AND next_number > ?");
  return (endpoint, { sinceMs }) => {
    const position = positionBefore(endpoint, sinceMs);
    setBack.run(position, endpoint.id);
    drop.run(endpoint.id, position);
    return true;
  };
}

/**
 * Prepares a binary search for the least position after which no event is from before `sinceMs`; at most the endpoint's. The
 * numbers have gaps, so each step reads the first event after one.
 */
function prepareSearch(db: Database): (endpoint: StoredEndpoint, sinceMs: number) => number {
  const firstAfter = db.prepare<[string, number, number], { number: number; atMs: number }>(
    `SELECT number, at_ms AS atMs FROM outbox WHERE account_id = ? AND number > ? AND number <= ?
       ORDER BY number LIMIT 1`,
  );
  return ({ accountId, position }, sinceMs) => {
    let [low, high] = [0, position];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const event = firstAfter.get(accountId, middle, position);
      if (event === undefined || event.atMs >= sinceMs) high = middle;
      else low = event.number;
    }
    return low;
  };
}

function prepareReplayOne(db: Database): Run<"replay_one"> {
  const orderKey = db
    .prepare<[string, number, string], number>(
      "SELECT seq FROM outbox WHERE account_id = ? AND number = ? AND type <> ?",
    )
    .pluck();
  const wait = db.prepare(
    `INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
       VALUES (@id, @seq, @number, @number, 0, @atMs)
       ON CONFLICT DO UPDATE SET next_number = min(next_number, @number), last_number = max(last_number, @number),
         attempts = 0, next_attempt_at_ms = @atMs`,
  );
  return ({ id, accountId, position }, { eventNumber, atMs }) => {
    const seq = orderKey.get(accountId, eventNumber, PLACEHOLDER);
    if (seq === undefined) return false;
    // An event after the position is sent anyway, behind the earlier ones of its order key.
    if (eventNumber <= position) wait.run({ id, seq, number: eventNumber, atMs });
    return true;
  };
}

function prepareNotified(db: Database): Run<"notified"> {
  const notified = db.prepare("UPDATE endpoints SET notified_at_ms = ? WHERE id = ? AND disabled_at_ms IS NOT NULL");
  return ({ id }, { atMs }) => {
    notified.run(atMs, id);
    return true;
  };
}
