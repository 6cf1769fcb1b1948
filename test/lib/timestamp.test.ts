/** RFC 3339 timestamps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isTimestamp } from "../../src/lib/timestamp.ts";

test("accepts RFC 3339 timestamps, and only those", () => {
  for (const text of ["2026-03-01T10:00:00Z", "2026-03-01t10:00:00.123z", "2024-02-29T23:59:59+02:00"]) {
    assert.equal(isTimestamp(text), true, text);
  }
  for (const text of ["2026-03-01", "2026-02-30T00:00:00Z", "2026-03-01T10:00:00", "2026-13-01T00:00:00Z", "5w"]) {
    assert.equal(isTimestamp(text), false, text);
  }
});
