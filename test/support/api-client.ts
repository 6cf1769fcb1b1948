/** A client of the HTTP API, for a service in this process or in a child process. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { HostAttempt, Result, SmtpRecord } from "../../src/message/result/outcome.ts";

export interface ApiTarget {
  url: string;
  key: string;
}

interface EventReport {
  at: string;
  type: string;
  attempt?: number;
  reason?: string | null;
  category?: string | null;
  tries?: HostAttempt[];
}

export interface RecipientReport {
  email: string;
  result: Result;
  reason: string | null;
  category: string | null;
  attempts: number;
  next_attempt_at: string | null;
  smtp: SmtpRecord | null;
  events: EventReport[];
}

export interface MessageReport {
  id: string;
  message_id: string;
  recipients: RecipientReport[];
}

/** The longest wait for a result. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 20;

export function post({ url, key }: ApiTarget, body: unknown): Promise<Response> {
  return fetch(`${url}/api/sending/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Sends a message that must be accepted. Returns its id. */
export async function send(target: ApiTarget, body: unknown): Promise<string> {
  const response = await post(target, body);
  const answer = (await response.json()) as { id: string };
  assert.equal(response.status, 202, JSON.stringify(answer));
  return answer.id;
}

export async function lookUp({ url, key }: ApiTarget, id: string, query = ""): Promise<MessageReport> {
  const response = await fetch(`${url}/api/sending/messages/${id}${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  assert.equal(response.status, 200, `looking up ${id}`);
  return (await response.json()) as MessageReport;
}

/** Polls until every recipient matches. */
export async function pollUntil(
  target: ApiTarget,
  id: string,
  wanted: (recipient: RecipientReport) => boolean,
): Promise<MessageReport> {
  const giveUpMs = Date.now() + TIMEOUT_MS;
  for (;;) {
    const report = await lookUp(target, id);
    if (report.recipients.every(wanted)) return report;
    if (Date.now() > giveUpMs) assert.fail(`still not matching: ${JSON.stringify(report.recipients, null, 1)}`);
    await delay(POLL_MS);
  }
}

export const attempted = (recipient: RecipientReport): boolean => recipient.attempts > 0;
export const isFinal = (recipient: RecipientReport): boolean => recipient.result !== "pending";

/** Sends a message and returns its report after the first attempt for every recipient. */
export async function sendAndReport(target: ApiTarget, body: unknown): Promise<MessageReport> {
  return pollUntil(target, await send(target, body), attempted);
}

/** Like sendAndReport, for a message to one recipient. */
export async function sendToOne(target: ApiTarget, body: unknown): Promise<RecipientReport> {
  const [recipient] = (await sendAndReport(target, body)).recipients;
  assert.ok(recipient);
  return recipient;
}

/** Every host and address tried, over all attempts. */
export function triesOf(recipient: RecipientReport): HostAttempt[] {
  return recipient.events.flatMap((event) => event.tries ?? []);
}
