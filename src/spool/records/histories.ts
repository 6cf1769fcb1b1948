/**
 * Decides how much of its recipients' histories a message's report shows. If all events together exceed the limit, each
 * recipient gets an equal share of it for its newest events, and the others are not read.
 */
import type { SpoolEvent } from "../port/results.ts";
import { isObject, soundJson } from "./stored-json.ts";

export interface RecipientHistory {
  /** The oldest first. */
  events: SpoolEvent[];
  /** The number of older events left out. */
  omitted: number;
}

export interface StoredSize {
  position: number;
  /** Events of a recipient are in the order of their numbers. */
  number: number;
  sizeBytes: number;
}

/** What is read of one recipient's history. */
export interface HistoryShare {
  position: number;
  /** The first event that is read. */
  number: number;
  /** Set if not even the newest event fits: it is read with only its last try, which is the decisive one. */
  isDecisiveTry: boolean;
  /** The number of events stored. */
  stored: number;
  bytesMax: number;
}

/** The size of all events. */
export const sizeOfAll = (stored: readonly StoredSize[]): number =>
  stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Returns the complete histories by position. `rows`: each recipient's in their order. */
export function completeHistories(rows: Iterable<{ position: number; event: string }>): Map<number, RecipientHistory> {
  const histories = new Map<number, RecipientHistory>();
  for (const { position, event } of rows) {
    const known = histories.get(position) ?? { events: [], omitted: 0 };
    histories.set(position, known);
    known.events.push(...decoded(event));
  }
  return histories;
}

/** Returns a share of `bytesMax` for each recipient. `stored`: each recipient's together, the newest first. */
export function sharesOf(stored: readonly StoredSize[], bytesMax: number): HistoryShare[] {
  return [...byPosition(stored)].map(([position, own]) => {
    const fitting = fittingOf(own, bytesMax);
    const { number } = own[Math.max(0, fitting - 1)] as StoredSize;
    return { position, number, isDecisiveTry: fitting === 0, stored: own.length, bytesMax };
  });
}

/** Returns the history of a share from its events in JSON, as they were read. */
export function historyOf({ stored, bytesMax }: HistoryShare, texts: readonly string[]): RecipientHistory {
  const events = texts.filter((text) => Buffer.byteLength(text) <= bytesMax).flatMap(decoded);
  return { events, omitted: stored - events.length };
}

/** Returns no event if it cannot be decoded: the others are shown. */
function decoded(text: string): SpoolEvent[] {
  const event = soundJson(text, isEvent);
  return event === null ? [] : [event];
}

const isEvent = (value: unknown): value is SpoolEvent =>
  isObject(value) && Number.isInteger(value.at_ms) && typeof value.type === "string";

function byPosition(stored: readonly StoredSize[]): Map<number, StoredSize[]> {
  const recipients = new Map<number, StoredSize[]>();
  for (const event of stored) {
    const known = recipients.get(event.position);
    if (known === undefined) recipients.set(event.position, [event]);
    else known.push(event);
  }
  return recipients;
}

/** Returns how many of the events, the newest first, fit into the share. */
function fittingOf(stored: readonly StoredSize[], bytesMax: number): number {
  let leftBytes = bytesMax;
  const first = stored.findIndex(({ sizeBytes }) => {
    leftBytes -= sizeBytes;
    return leftBytes < 0;
  });
  return first === -1 ? stored.length : first;
}
