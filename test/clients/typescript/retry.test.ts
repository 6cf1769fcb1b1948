import assert from "node:assert/strict";
import { test } from "node:test";
import { PostriderError } from "../../../clients/typescript/src/errors.ts";
import { retryDelayMs } from "../../../clients/typescript/src/retry.ts";

const delay = (status: number, count: number, retryAfter: number | null = null): number | null =>
  retryDelayMs(new PostriderError({ status, code: "network_error", detail: "", retryAfter }), {
    count,
    max: 8,
    random: () => 1,
  });

test("delays double up to a bound", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 8].map((count) => delay(0, count)),
    [1000, 2000, 4000, 8000, 16_000, 16_000, null],
  );
});

test("Retry-After decides, up to a minute", () => {
  assert.deepEqual(
    [1, 60, 61].map((seconds) => delay(429, 0, seconds)),
    [1000, 60_000, null],
  );
});

test("only limits, unavailability and network errors are retried", () => {
  const retried = [0, 400, 401, 403, 404, 409, 412, 429, 500, 502, 503, 504].filter(
    (status) => delay(status, 0) !== null,
  );
  assert.deepEqual(retried, [0, 429, 502, 503, 504]);
});
