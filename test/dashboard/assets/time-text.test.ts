/** Times as text in the browser: relative ones are as the server writes them, exact ones are local. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { relativeText, timeText } from "../../../src/dashboard/views/labels.ts";

interface TimeText {
  relativeText: (atMs: number, nowMs: number) => string;
  localText: (atMs: number) => string;
  utcText: (atMs: number) => string;
  isLocal: (atMs: number) => boolean;
  localField: (value: string) => string;
  utcField: (value: string) => string;
}

const ASSET = new URL("../../../src/dashboard/assets/time-text.js", import.meta.url).href;
const times = (await import(ASSET)) as TimeText;

const NOW_MS = Date.UTC(2026, 2, 14, 9, 5, 7);

test("a relative time has the same text as on the server", () => {
  for (const spanMs of [
    0, 999, 1000, 1500, 9999, 59_999, 60_000, 3_599_999, 3_600_000, 7_140_000, 86_400_000, 1e8, 3e9,
  ]) {
    for (const atMs of [NOW_MS - spanMs, NOW_MS + spanMs]) {
      assert.equal(times.relativeText(atMs, NOW_MS), relativeText(atMs, NOW_MS), `${atMs - NOW_MS} ms`);
    }
  }
});

/** The time zone may be changed at run time. */
function inZone(zone: string, run: () => void): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

test("an exact time is local, and UTC beside it", () => {
  assert.equal(times.utcText(NOW_MS), `${timeText(NOW_MS)} UTC`);
  inZone("Asia/Kolkata", () => {
    assert.ok(times.isLocal(NOW_MS));
    assert.equal(times.localText(NOW_MS), "14 Mar 2026, 14:35:07");
    assert.equal(times.localText(NOW_MS + 12 * 3_600_000), "15 Mar 2026, 02:35:07");
  });
  inZone("UTC", () => assert.ok(!times.isLocal(NOW_MS)));
});

test("a field for a time is local while it is typed in, and UTC when it is sent", () => {
  inZone("America/New_York", () => {
    for (const [utc, local] of [
      ["2026-07-14T03:05", "2026-07-13T23:05"],
      ["2026-01-14T03:05:09", "2026-01-13T22:05:09"],
      ["", ""],
    ] as const) {
      assert.equal(times.localField(utc), local);
      assert.equal(times.utcField(local), utc);
    }
  });
});
