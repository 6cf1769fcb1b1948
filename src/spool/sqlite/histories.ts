/**
 * Reads the histories of a message's recipients. If all events together exceed the limit, each recipient gets an equal share
 * of it for its newest events, and the others are not read.
 */

import type { Database } from "better-sqlite3";
import type { SpoolEvent } from "../port/results.ts";
import { isObject, soundJson } from "./damage.ts";

export interface RecipientHistory {
  /** The oldest first. */
  events: SpoolEvent[];
  /** The number of older events left out. */
  omitted: number;
}

interface StoredSize {
  position: number;
  number: number;
  sizeBytes: number;
}

type EventRow = { position: number; event: string };

/** Returns a function that reads the histories of a message with so many recipients, by position. */
export function prepareHistories(db: Database, bytesMax: number) {
  const sizes = db.prepare<[number], StoredSize>(
    `SELECT position, number, octet_length(event) AS sizeBytes FROM events WHERE seq = ? ORDER BY position, number DESC`,
  );
  const all = db.prepare<[number], EventRow>(
    "SELECT position, event FROM events WHERE seq = ? ORDER BY position, number",
  );
  const newest = prepareNewest(db);
  return (seq: number, recipients: number): Map<number, RecipientHistory> => {
    // Read once: SQLite reads the rows of a range to find its end, and these may be large.
    const stored = sizes.all(seq);
    const sizeBytes = stored.reduce((sum, event) => sum + event.sizeBytes, 0);
    const histories = new Map<number, RecipientHistory>();
    if (sizeBytes > bytesMax) {
      const shareBytes = Math.floor(bytesMax / recipients);
      for (const [position, own] of byPosition(stored)) histories.set(position, newest(seq, own, shareBytes));
      return histories;
    }
    for (const { position, event } of all.iterate(seq)) historyOf(histories, position).events.push(...eventOf(event));
    return histories;
  };
}

/** Returns no event if it cannot be decoded: the others are shown. */
function eventOf(text: string): SpoolEvent[] {
  const event = soundJson(text, isEvent);
  return event === null ? [] : [event];
}

const isEvent = (value: unknown): value is SpoolEvent =>
  isObject(value) && Number.isInteger(value.at_ms) && typeof value.type === "string";

function historyOf(histories: Map<number, RecipientHistory>, position: number): RecipientHistory {
  const known = histories.get(position) ?? { events: [], omitted: 0 };
  histories.set(position, known);
  return known;
}

/** Reads one recipient's newest events, at most `shareBytes` together. `stored` lists them, the newest first. */
function prepareNewest(db: Database): (seq: number, stored: StoredSize[], shareBytes: number) => RecipientHistory {
  const from = db
    .prepare<[number, number, number], string>(
      "SELECT event FROM events WHERE seq = ? AND position = ? AND number >= ? ORDER BY number",
    )
    .pluck();
  // One attempt may have tried many hosts; the last try is the decisive one.
  const decisive = db
    .prepare<[number, number, number], string>(
      `SELECT json_set(event, '$.tries', json_array(json_extract(event, '$.tries[#-1]')))
         FROM events WHERE seq = ? AND position = ? AND number = ? AND json_array_length(event, '$.tries') > 1`,
    )
    .pluck();
  return (seq, stored, shareBytes) => {
    const fitting = fittingOf(stored, shareBytes);
    const { position, number } = stored[Math.max(0, fitting - 1)] as StoredSize;
    const texts = (fitting > 0 ? from : decisive).all(seq, position, number);
    const events = texts.filter((text) => Buffer.byteLength(text) <= shareBytes).flatMap(eventOf);
    return { events, omitted: stored.length - events.length };
  };
}

function byPosition(stored: StoredSize[]): Map<number, StoredSize[]> {
  const recipients = new Map<number, StoredSize[]>();
  for (const event of stored) {
    const known = recipients.get(event.position);
    if (known === undefined) recipients.set(event.position, [event]);
    else known.push(event);
  }
  return recipients;
}

/** Returns how many of the events, the newest first, fit into the share. */
function fittingOf(stored: StoredSize[], shareBytes: number): number {
  let leftBytes = shareBytes;
  const first = stored.findIndex(({ sizeBytes }) => {
    leftBytes -= sizeBytes;
    return leftBytes < 0;
  });
  return first === -1 ? stored.length : first;
}
