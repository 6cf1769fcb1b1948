/** The event of a settled recipient: its type, and the entry of the recipient's history, in JSON. */
import type { Suppression } from "../../message/result/suppression.ts";
import type { EventType } from "../port/events.ts";
import { type AttemptEntry, attemptEntry } from "./attempt-entry.ts";
import { typeOfResult } from "./result-event.ts";
import { suppressedEntry } from "./suppressed-entry.ts";

/** `suppression` as that of Settlement. */
export function settledEvent(
  entry: AttemptEntry,
  suppression: Suppression | undefined,
): { type: EventType; history: string } {
  if (suppression === undefined) return { type: typeOfResult(entry.result), history: attemptEntry(entry) };
  return { type: "recipient.suppressed", history: JSON.stringify(suppressedEntry(suppression, entry.atMs)) };
}
