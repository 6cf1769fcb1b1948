/**
 * Divides the time of a search into windows, the newest first. Each is a range of whole partitions, so that its statements read
 * only those. A search of a busy account ends in the first window; for one that finds little, they soon become large.
 */
import { firstNumberOfDay } from "../mail/message-number.ts";

/** The most days of one window: a transaction locks each partition that it reads, with its indexes. */
const DAYS_MAX = 32;

/** Messages from `fromSeq` on, and before `beforeSeq`. */
export interface SearchRange {
  fromSeq: number;
  beforeSeq: number;
}

export interface SearchWindow extends SearchRange {
  /** Where the days of the window begin, the newest first. */
  days: number[];
}

/** Which way a search reads: from newer messages to older ones, or from older to newer. */
export type SearchDirection = "older" | "newer";

export interface SearchTime extends SearchRange {
  /** Days with partitions, the newest first, in days since the epoch. */
  days: readonly number[];
  today: number;
}

/**
 * Returns windows of 1, 2, 4 … days with partitions. Partitions of later days than today are expected to be empty, and belong to the
 * first window. The last one is what lies before all partitions.
 */
export function searchWindows({ days, today, fromSeq, beforeSeq }: SearchTime): SearchWindow[] {
  const windows: SearchWindow[] = [];
  let [upper, daysMax]: [number, number] = [beforeSeq, 1];
  let own: number[] = [];
  const end = (lower: number): void => {
    if (lower < upper) windows.push({ fromSeq: lower, beforeSeq: upper, days: own });
    [upper, daysMax, own] = [lower, Math.min(2 * daysMax, DAYS_MAX), []];
  };
  for (const day of days) {
    const first = firstNumberOfDay(day);
    if (first >= upper) continue;
    if (first <= fromSeq) break;
    own.push(first);
    if (day <= today && own.length >= daysMax) end(first);
  }
  end(fromSeq);
  return windows;
}

/** Divides a window of several days into windows of one day. */
export function daysOfWindow({ fromSeq, beforeSeq, days }: SearchWindow): SearchWindow[] {
  const starts = days.at(-1) === fromSeq ? days : [...days, fromSeq];
  return starts.map((first, i) => ({ fromSeq: first, beforeSeq: starts[i - 1] ?? beforeSeq, days: [] }));
}
