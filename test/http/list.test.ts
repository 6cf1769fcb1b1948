/** The list's answer where the reports take no more questions. Everything else of it is told in e2e/list.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "koa";
import { createList } from "../../src/http/list.ts";
import { Problem } from "../../src/http/problems.ts";
import type { ApiKey } from "../../src/spool/registry.ts";
import { type Reports, TooManyReports } from "../../src/spool/reports.ts";
import type { Spool } from "../../src/spool/spool.ts";

const KEY = { id: "key_a", accountId: "acc_a" } as ApiKey;

function listThatFails(error: Error): Promise<void> {
  const reports = { find: () => Promise.reject(error) } as unknown as Reports;
  return createList({ reports } as Spool & { reports: Reports })({ query: {} } as Context, KEY);
}

test("too many waiting lists are answered with 429 and when to come again", async () => {
  await assert.rejects(listThatFails(new TooManyReports()), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.status, error.code, error.extras.retryAfterS], [429, "rate_limit_exceeded", 1]);
    return true;
  });
});

test("another failure stays what it is", async () => {
  await assert.rejects(listThatFails(new RangeError("lost")), RangeError);
});
