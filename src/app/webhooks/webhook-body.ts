/**
 * The body of a webhook request: the event's type and time, and the event as `data`. It depends on nothing but the event, so all
 * attempts at an event have the same bytes.
 */
import type { OutboxEvent } from "../../spool/port/events.ts";
import { type EventView, eventView } from "./event-view.ts";

/** Returns `{"type","timestamp","data"}` as JSON; `timestamp` is the event's time. */
export function webhookBody(event: OutboxEvent): string {
  return webhookBodyOf(eventView(event));
}

/** The same for an event in its JSON form. */
export function webhookBodyOf(view: EventView): string {
  return JSON.stringify({ type: view.type, timestamp: view.at, data: view });
}
