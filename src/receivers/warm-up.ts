/**
 * The warm-up of a sending address: how many messages each receiver gets from it in a day (UTC), until it is known there.
 *
 * The default schedule begins with 50 messages, doubles at first and grows by 30 to 40 % a day later. Published schedules of senders and
 * providers begin with 50 to 200 messages a day and grow by a factor of 1.3 to 2, some of up to 5, for two to six weeks. The receivers
 * publish no numbers: Google and Microsoft ask to begin with little and to grow slowly, and Google to go back where refusals begin.
 *
 * Sources (2026-11): https://support.google.com/a/answer/81126 (increase the volume slowly; halve after refusals),
 * https://www.twilio.com/docs/sendgrid/ui/sending-email/warming-up-an-ip-address (limits while warming up; an address that was not used
 * for 30 days is cold), https://docs.aws.amazon.com/ses/latest/dg/dedicated-ip-warming.html (each receiver is warmed up for itself),
 * https://kb.adcrux.io/kbp/user-manuals/ip-warm-up-strategy/ and
 * https://www.connected.app/library/email-protocols/deliverability/articles/warming-up-ip-addresses-ui0acap (day by day).
 */

/** Messages a day, by the place in the schedule; after its end there is no limit. */
export type WarmUpSchedule = readonly number[];

// biome-ignore format: a line is a week
export const DEFAULT_SCHEDULE: WarmUpSchedule = [
  50, 100, 200, 300, 500, 750, 1_000,
  1_400, 2_000, 2_800, 4_000, 5_500, 7_500, 10_000,
  14_000, 20_000, 27_000, 36_000, 48_000, 64_000, 85_000,
  115_000, 150_000, 200_000, 270_000, 360_000, 480_000, 640_000,
  850_000,
];

/** The most places of a schedule. */
export const SCHEDULE_MAX = 100;

/** Days without a message after which an address begins anew at a receiver. */
export const COLD_AFTER_DAYS = 30;

/** A day leads to the next place of the schedule if this part of its messages was accepted, and the address was not blocked in it. */
const ADVANCING_SHARE = 1 / 2;

/** What an address has done at one receiver in its last day there. */
export interface WarmUpDay {
  /** From 0 on; the length of the schedule after its end. */
  place: number;
  /** Days since the epoch, UTC. */
  day: number;
  /** Messages that were drawn from the day's: sent, or about to be sent. */
  taken: number;
  /** Recipients for whom messages were accepted. */
  accepted: number;
  isBlocked: boolean;
}

/** What happened since the last draw, and what is to be sent next. */
export interface WarmUpDraw {
  schedule: WarmUpSchedule;
  /** Where an address begins at a receiver. */
  firstPlace: number;
  /** Today. */
  day: number;
  /** Messages wanted of today's. */
  wanted: number;
  /** The day that the next three are of; null if there was none. */
  lastDay: number | null;
  /** Messages drawn and not used; less than 0 if more were sent than drawn. */
  unused: number;
  accepted: number;
  isBlocked: boolean;
}

/** The messages of a day at a place of the schedule; null for no limit. */
export const dailyLimit = (schedule: WarmUpSchedule, place: number): number | null => schedule[place] ?? null;

/** The state after a draw, and how many messages it got; null for no limit. */
export function drawFrom(
  before: WarmUpDay | null,
  draw: WarmUpDraw,
): { after: WarmUpDay; granted: number | null; left: number | null } {
  const first = { place: draw.firstPlace, day: draw.day, taken: 0, accepted: 0, isBlocked: false };
  const after = onDay(before === null ? first : withReport(before, draw), draw);
  const limit = dailyLimit(draw.schedule, after.place);
  if (limit === null) return { after, granted: null, left: null };
  const granted = Math.max(0, Math.min(draw.wanted, limit - after.taken));
  after.taken += granted;
  return { after, granted, left: Math.max(0, limit - after.taken) };
}

function withReport(before: WarmUpDay, draw: WarmUpDraw): WarmUpDay {
  const after = { ...before };
  if (draw.lastDay === before.day) {
    after.taken = Math.max(0, after.taken - draw.unused);
    after.accepted += draw.accepted;
  }
  // Once a day: a block makes many refusals.
  if (draw.isBlocked && !before.isBlocked) {
    after.place = Math.max(0, Math.min(after.place, draw.schedule.length) - 1);
    after.isBlocked = true;
  }
  return after;
}

/** A clock that was set back gives no day twice; one that had been far ahead must not stop the address for as long. */
function onDay(state: WarmUpDay, { day, schedule, firstPlace }: WarmUpDraw): WarmUpDay {
  if (day < state.day) return state.day - day === 1 ? state : { ...state, day };
  if (day === state.day) return state;
  const begun = { day, taken: 0, accepted: 0, isBlocked: false };
  if (day - state.day > COLD_AFTER_DAYS) return { ...begun, place: firstPlace };
  const limit = dailyLimit(schedule, state.place);
  const advances = limit !== null && !state.isBlocked && state.accepted >= limit * ADVANCING_SHARE;
  return { ...begun, place: state.place + (advances ? 1 : 0) };
}
