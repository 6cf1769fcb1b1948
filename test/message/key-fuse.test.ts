/** When a key is held: twenty ordinary shapes of load never are in thirty days, a leaked key is within 300 recipients. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  causeText,
  DEFAULT_FUSE,
  fuseVerdict,
  type KeyHistory,
  type KeyUse,
  SPAN_MS,
  SPANS_A_DAY,
} from "../../src/message/key-fuse.ts";

const FIRST_DAY = 20_000;

/** Numbers from 0 to 1, the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Shape {
  name: string;
  /** Recipients in a span of a day, `random` from 0 to 1. */
  load: (at: { day: number; span: number; random: () => number }) => number;
  /** Of them, unknown mailboxes, as a share. */
  unknownShare?: number;
}

const isAt = (span: number, hour: number): boolean => Math.floor(span / 6) === hour;
const isWorkday = (day: number): boolean => day % 7 < 5;
const around = (mean: number, random: () => number): number => Math.floor(mean * 2 * random());
const byDay = (span: number): number => 1 + Math.sin(((span - 36) / SPANS_A_DAY) * 2 * Math.PI);

const SHAPES: readonly Shape[] = [
  { name: "a few a day", load: ({ random }) => (random() < 0.03 ? 1 : 0) },
  { name: "steady, little", load: ({ random }) => around(3, random) },
  { name: "steady, much", load: ({ random }) => around(400, random) },
  { name: "day and night", load: ({ span, random }) => around(20 * byDay(span), random) },
  { name: "day and night, large", load: ({ span, random }) => around(900 * byDay(span), random) },
  { name: "workdays alone", load: ({ day, span, random }) => (isWorkday(day) ? around(15 * byDay(span), random) : 0) },
  { name: "newsletter each Monday", load: ({ day, span }) => (day % 7 === 0 && isAt(span, 9) ? 2000 : 0) },
  {
    name: "newsletter each Monday beside resets",
    load: ({ day, span, random }) => around(2, random) + (day % 7 === 0 && isAt(span, 9) ? 5000 : 0),
  },
  {
    name: "newsletter on Tuesday and Friday",
    load: ({ day, span }) => ((day % 7 === 1 || day % 7 === 4) && isAt(span, 14) ? 3000 : 0),
  },
  { name: "digest each morning", load: ({ span }) => (span === 42 ? 1500 : 0) },
  { name: "hourly alerts", load: ({ span }) => (span % 6 === 0 ? 120 : 0) },
  {
    name: "bursts at random",
    load: ({ random }) => (random() < 0.01 ? Math.floor(150 * random()) : around(1, random)),
  },
  { name: "growing by 5 % a day", load: ({ day, random }) => around(10 * 1.05 ** day, random) },
  { name: "growing by 15 % a day", load: ({ day, random }) => around(5 * 1.15 ** day, random) },
  { name: "twice as much at the weekend", load: ({ day, random }) => around(isWorkday(day) ? 30 : 60, random) },
  { name: "stale list", load: ({ random }) => around(20, random), unknownShare: 0.06 },
  { name: "very stale list", load: ({ random }) => around(40, random), unknownShare: 0.15 },
  { name: "sign-ups with typing errors", load: ({ random }) => around(4, random), unknownShare: 0.1 },
  { name: "one campaign of 180", load: ({ day, span }) => (day === 20 && span === 60 ? 180 : 0) },
  { name: "invoices on workdays at eight", load: ({ day, span }) => (isWorkday(day) && span === 48 ? 600 : 1) },
];

/** Plays days of a shape. Returns what is held when, and the history at the end. */
function play(shape: Shape, days: number, seed: number) {
  const random = randomOf(seed);
  const history: KeyHistory = { firstSpan: null, peakSpan: 0, peakDay: 0, recipients: 0, unknown: 0 };
  const held: string[] = [];
  for (let day = 0; day < days; day += 1) {
    const use: KeyUse = { span: 0, day: 0, unknown: 0 };
    let peak = 0;
    let first: number | null = null;
    for (let span = 0; span < SPANS_A_DAY; span += 1) {
      use.span = shape.load({ day, span, random });
      use.day += use.span;
      use.unknown += Math.round(use.span * (shape.unknownShare ?? 0) * (0.5 + random()));
      peak = Math.max(peak, use.span);
      const at = (FIRST_DAY + day) * SPANS_A_DAY + span;
      if (use.span > 0) first ??= at;
      const { state, cause } = fuseVerdict(history, use, { setting: DEFAULT_FUSE, nowMs: at * SPAN_MS });
      if (state === "held" && cause !== null) held.push(`day ${day}: ${causeText(cause)}`);
    }
    history.firstSpan ??= first;
    history.peakSpan = Math.max(history.peakSpan, peak);
    history.peakDay = Math.max(history.peakDay, use.day);
    history.recipients += use.day;
    history.unknown += use.unknown;
  }
  return { held, history, nowMs: (FIRST_DAY + days) * SPANS_A_DAY * SPAN_MS };
}

test("twenty ordinary shapes of load are never held in thirty days", () => {
  assert.equal(SHAPES.length, 20);
  for (const shape of SHAPES)
    for (let seed = 1; seed <= 20; seed += 1)
      assert.deepEqual(play(shape, 30, seed).held, [], `${shape.name}, ${seed}`);
});

test("a leaked key that sends a hundred times as much is held within 300 recipients", () => {
  for (const name of ["a few a day", "steady, little", "day and night", "workdays alone"]) {
    const shape = SHAPES.find((each) => each.name === name);
    assert.ok(shape);
    const { history, nowMs } = play(shape, 21, 7);
    let sent = 0;
    while (sent <= 300) {
      const use = { span: sent + 1, day: sent + 1, unknown: 0 };
      if (fuseVerdict(history, use, { setting: DEFAULT_FUSE, nowMs }).state === "held") break;
      sent += 1;
    }
    assert.ok(sent >= 200 && sent <= 300, `${name}: held after ${sent}`);
  }
});

test("it warns before it holds, and names the figures", () => {
  const history = { firstSpan: 0, peakSpan: 10, peakDay: 100, recipients: 1000, unknown: 0 };
  const at = (span: number) =>
    fuseVerdict(history, { span, day: span, unknown: 0 }, { setting: DEFAULT_FUSE, nowMs: 1e12 });
  assert.equal(at(130).state, "normal");
  assert.equal(at(134).state, "warning");
  assert.equal(at(200).state, "warning");
  const { state, cause } = at(201);
  assert.equal(state, "held");
  assert.ok(cause);
  assert.equal(causeText(cause), "201 recipients in ten minutes, where its limit is 200");
});

test("a slow rise of the whole day, and unknown mailboxes, hold a key too", () => {
  const history = { firstSpan: 0, peakSpan: 100, peakDay: 500, recipients: 5000, unknown: 50 };
  const verdict = (use: KeyUse) => fuseVerdict(history, use, { setting: DEFAULT_FUSE, nowMs: 1e12 });
  assert.equal(verdict({ span: 50, day: 2500, unknown: 0 }).state, "warning");
  assert.deepEqual(verdict({ span: 50, day: 2501, unknown: 0 }).cause?.per, "day");
  assert.equal(verdict({ span: 9, day: 60, unknown: 20 }).state, "warning");
  const { state, cause } = verdict({ span: 9, day: 60, unknown: 21 });
  assert.deepEqual([state, cause?.kind], ["held", "unknown_mailboxes"]);
  assert.match(causeText(cause as NonNullable<typeof cause>), /21 of its recipients today were unknown mailboxes/);
  assert.equal(verdict({ span: 9, day: 200, unknown: 30 }).state, "warning");
});

test("shortly after midnight the unknown mailboxes of a large key are compared with its normal day", () => {
  const firstSpan = 20_000 * SPANS_A_DAY;
  const history = { firstSpan, peakSpan: 5000, peakDay: 120_000, recipients: 2_000_000, unknown: 10_000 };
  const nowMs = (firstSpan + 20 * SPANS_A_DAY) * SPAN_MS + 10_000;
  const state = (unknown: number) =>
    fuseVerdict(history, { span: 0, day: 0, unknown }, { setting: DEFAULT_FUSE, nowMs }).state;
  assert.deepEqual([state(21), state(5000), state(20_001)], ["normal", "normal", "held"]);
});

test("a key is learned for a week, unless it has a limit; it can be turned off, and is left alone for a day after a release", () => {
  const nowMs = 1e12;
  const firstSpan = Math.floor(nowMs / SPAN_MS) - 7 * SPANS_A_DAY;
  const known = { firstSpan, peakSpan: 1, peakDay: 1, recipients: 1, unknown: 0 };
  const use = { span: 5000, day: 5000, unknown: 900 };
  const state = (history: KeyHistory, setting = {}) =>
    fuseVerdict(history, use, { setting: { ...DEFAULT_FUSE, ...setting }, nowMs }).state;
  assert.equal(state(known), "held");
  assert.equal(state({ ...known, firstSpan: firstSpan + 1 }), "normal");
  assert.equal(state({ ...known, firstSpan: null }), "normal");
  assert.equal(state({ ...known, firstSpan: null }, { limit: 4999 }), "held");
  assert.equal(state(known, { limit: 5000 }), "warning");
  assert.equal(state(known, { limit: 10_000 }), "normal");
  assert.equal(state(known, { isOff: true }), "normal");
  assert.equal(state(known, { releasedAtMs: nowMs - 86_399_999 }), "normal");
  assert.equal(state(known, { releasedAtMs: nowMs - 86_400_000 }), "held");
});
