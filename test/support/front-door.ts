/** Sends and looks up through the HTTP API, wherever the service runs: in this process or as a child. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { HostAttempt, Result, SmtpRecord } from "../../src/message/outcome.ts";

export interface FrontDoor {
  url: string;
  key: string;
}

export interface LookedEvent {
  at: string;
  type: string;
  attempt?: number;
  reason?: string | null;
  category?: string | null;
  tries?: HostAttempt[];
}

export interface LookedRecipient {
  email: string;
  result: Result;
  reason: string | null;
  category: string | null;
  attempts: number;
  next_attempt_at: string | null;
  smtp: SmtpRecord | null;
  events: LookedEvent[];
}

export interface Looked {
  id: string;
  message_id: string;
  recipients: LookedRecipient[];
}

/** So long at most does a test wait for a result. */
const PATIENCE_MS = 20_000;
const LOOK_AGAIN_MS = 20;

export function post({ url, key }: FrontDoor, body: unknown): Promise<Response> {
  return fetch(`${url}/api/sending/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Sends a message that must be accepted; its id. */
export async function send(door: FrontDoor, body: unknown): Promise<string> {
  const response = await post(door, body);
  const answer = (await response.json()) as { id: string };
  assert.equal(response.status, 202, JSON.stringify(answer));
  return answer.id;
}

export async function look({ url, key }: FrontDoor, id: string, query = ""): Promise<Looked> {
  const response = await fetch(`${url}/api/sending/messages/${id}${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  assert.equal(response.status, 200, `looking up ${id}`);
  return (await response.json()) as Looked;
}

/** Looks until every recipient is as wanted. */
export async function lookUntil(
  door: FrontDoor,
  id: string,
  wanted: (recipient: LookedRecipient) => boolean,
): Promise<Looked> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const looked = await look(door, id);
    if (looked.recipients.every(wanted)) return looked;
    if (Date.now() > giveUpMs) assert.fail(`still not as wanted: ${JSON.stringify(looked.recipients, null, 1)}`);
    await delay(LOOK_AGAIN_MS);
  }
}

export const attempted = (recipient: LookedRecipient): boolean => recipient.attempts > 0;
export const isFinal = (recipient: LookedRecipient): boolean => recipient.result !== "pending";

/** Sends, and looks once every recipient has had its first attempt. */
export async function sendAndLook(door: FrontDoor, body: unknown): Promise<Looked> {
  return lookUntil(door, await send(door, body), attempted);
}

/** As sendAndLook, for a message to one recipient. */
export async function sendToOne(door: FrontDoor, body: unknown): Promise<LookedRecipient> {
  const [recipient] = (await sendAndLook(door, body)).recipients;
  assert.ok(recipient);
  return recipient;
}

/** Every host and address tried, over all attempts. */
export function triesOf(recipient: LookedRecipient): HostAttempt[] {
  return recipient.events.flatMap((event) => event.tries ?? []);
}
