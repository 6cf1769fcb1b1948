/** What the suites of webhook endpoints and of their queue share. */
import assert from "node:assert/strict";
import type { EventFilter, OutboxEvent } from "../../../../src/spool/port/events.ts";
import type { NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import type {
  AttemptFilter,
  Endpoint,
  EndpointChange,
  NewEndpoint,
  WebhookResult,
  WebhookSettlement,
} from "../../../../src/spool/port/webhooks.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import { NOW_MS } from "./suite.ts";

export const ACCOUNT = "acc_default";
export const ALL: EventFilter = { types: null, keys: null, domains: null };

export const newEndpoint = (parts: Partial<NewEndpoint> = {}): NewEndpoint => ({
  id: "end_a",
  accountId: ACCOUNT,
  url: "https://hooks.example/a",
  createdAtMs: NOW_MS,
  sealedSecret: Buffer.from("sealed"),
  endpointsMax: 10,
  ...ALL,
  ...parts,
});

export async function createEndpoint(spool: Spool, parts: Partial<NewEndpoint> = {}): Promise<Endpoint> {
  const created = await spool.createEndpoint(newEndpoint(parts));
  assert.ok(created !== "too_many");
  return created;
}

export async function endpointOf(spool: Spool, endpointId = "end_a"): Promise<Endpoint> {
  const found = (await spool.endpoints(null)).find(({ id }) => id === endpointId);
  assert.ok(found, `${endpointId} is missing`);
  return found;
}

/** Changes the endpoint `end_a`. */
export const change = (spool: Spool, made: EndpointChange["change"]): Promise<boolean> =>
  spool.changeEndpoint({ accountId: ACCOUNT, endpointId: "end_a", change: made });

/** Accepts a message and settles its recipients one by one; returns its events, of which the first is the acceptance. */
export async function messageEvents(
  spool: Spool,
  results: Settlement["result"][],
  parts: Partial<NewMessage> = {},
): Promise<OutboxEvent[]> {
  const message = newMessage({ recipients: recipientsAt("a.example", Math.max(1, results.length)), ...parts });
  await spool.accept(message);
  const settlements = results.map((result, position) =>
    settlement(position, result, result === "pending" ? NOW_MS : null),
  );
  if (settlements.length > 0) await settleMessage(spool, message.id, message.createdAtMs, settlements);
  return (await allEvents(spool)).filter(({ messageId }) => messageId === message.id);
}

export async function allEvents(spool: Pick<Spool, "events">): Promise<OutboxEvent[]> {
  const query = { accountId: ACCOUNT, filter: ALL, withDomains: true, limit: 1000 };
  const found: OutboxEvent[] = [];
  for (let afterNumber: number | null = null; ; ) {
    const page = await spool.events({ ...query, afterNumber });
    assert.ok(page !== "expired");
    found.push(...page.events);
    if (page.isEnd) return found;
    afterNumber = page.throughNumber;
  }
}

export const numbered = (events: OutboxEvent[]): number[] => events.map(({ number }) => number);

type Attempt = WebhookResult["attempt"];

function resultOf(event: OutboxEvent, outcome: WebhookResult["outcome"], parts: Partial<Attempt> = {}): WebhookResult {
  const attempt = { atMs: NOW_MS, durationMs: 12, attempt: 1, status: 200, error: null, response: "ok", ...parts };
  return { event, attempt, outcome };
}

export const sent = (event: OutboxEvent, parts: Partial<Attempt> = {}): WebhookResult =>
  resultOf(event, { type: "sent" }, parts);

export const givenUp = (event: OutboxEvent, parts: Partial<Attempt> = {}): WebhookResult =>
  resultOf(event, { type: "given_up" }, { status: 500, ...parts });

export const deferred = (
  event: OutboxEvent,
  nextAttemptAtMs = NOW_MS + 1000,
  parts: Partial<Attempt> = {},
): WebhookResult => resultOf(event, { type: "deferred", nextAttemptAtMs }, { status: 500, ...parts });

export const blockedBy = ({ orderKey, number }: OutboxEvent): WebhookSettlement["blocked"][number] => ({
  orderKey,
  number,
});

/** Settles for an endpoint; its position and version are as of `endpoint` if none are given. */
export function settle(spool: Spool, endpoint: Endpoint, parts: Partial<WebhookSettlement>): Promise<void> {
  const { id: endpointId, version, position } = endpoint;
  const nothing = { results: [], blocked: [], gone: [], isRecovered: false, disable: null };
  return spool.settleWebhooks({ endpointId, version, position, atMs: NOW_MS, ...nothing, ...parts });
}

/** The retries that are due at `nowMs`, as numbers of their events. */
export const dueNumbers = async (spool: Spool, nowMs: number): Promise<number[]> =>
  (await spool.dueRetries("end_a", nowMs, 100)).retries.map(({ event }) => event.number);

export const attemptFilter = (parts: Partial<AttemptFilter> = {}): AttemptFilter => ({
  endpointId: "end_a",
  beforeNumber: null,
  failedOnly: false,
  limit: 100,
  ...parts,
});
