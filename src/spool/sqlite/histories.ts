/**
 * The histories of a message's recipients. Where all events are larger than the limit, each recipient has an equal part
 * of it for the newest ones, and the others are not read.
 */
import type { Database } from "better-sqlite3";
import type { SpoolEvent } from "../port/results.ts";
import { isObject, soundJson } from "./damage.ts";

export interface History {
  /** The oldest first. */
  events: SpoolEvent[];
  /** How many older ones were left out. */
  omitted: number;
}

interface StoredSize {
  position: number;
  number: number;
  sizeBytes: number;
}

type Row = { position: number; event: string };

/** Reads the histories of a message that has `recipients`, by position. */
export function prepareHistories(db: Database, bytesMax: number) {
  const sizes = db.prepare<[number], StoredSize>(
    `SELECT position, number, octet_length(event) AS sizeBytes FROM events WHERE seq = ? ORDER BY position, number DESC`,
  );
  const all = db.prepare<[number], Row>("SELECT position, event FROM events WHERE seq = ? ORDER BY position, number");
  const newest = prepareNewest(db);
  return (seq: number, recipients: number): Map<number, History> => {
    // Read once: the end of a range of large rows costs the reading of them.
    const stored = sizes.all(seq);
    const sizeBytes = stored.reduce((sum, event) => sum + event.sizeBytes, 0);
    const histories = new Map<number, History>();
    if (sizeBytes > bytesMax) {
      const shareBytes = Math.floor(bytesMax / recipients);
      for (const [position, own] of byPosition(stored)) histories.set(position, newest(seq, own, shareBytes));
      return histories;
    }
    for (const { position, event } of all.iterate(seq)) historyOf(histories, position).events.push(...eventOf(event));
    return histories;
  };
}

/** Nothing where it cannot be decoded: the other events are shown. */
function eventOf(text: string): SpoolEvent[] {
  const event = soundJson(text, isEvent);
  return event === null ? [] : [event];
}

const isEvent = (value: unknown): value is SpoolEvent =>
  isObject(value) && Number.isInteger(value.at_ms) && typeof value.type === "string";

function historyOf(histories: Map<number, History>, position: number): History {
  const known = histories.get(position) ?? { events: [], omitted: 0 };
  histories.set(position, known);
  return known;
}

/** The newest of one recipient's events that together have at most so many bytes. `stored`: the newest first. */
function prepareNewest(db: Database): (seq: number, stored: StoredSize[], shareBytes: number) => History {
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

/** How many of the events, the newest first, have room. */
function fittingOf(stored: StoredSize[], shareBytes: number): number {
  let leftBytes = shareBytes;
  const first = stored.findIndex(({ sizeBytes }) => {
    leftBytes -= sizeBytes;
    return leftBytes < 0;
  });
  return first === -1 ? stored.length : first;
}
