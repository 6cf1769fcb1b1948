/** The methods of a port, bound to what runs their operations. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { accountOf, bind, type Operation, type Runner } from "../../../src/spool/engine/operations.ts";

it("an operation is run as what it is, by its name, with its arguments", async () => {
  const run = (kind: string) => async (name: string, _operation: Operation, args: unknown[]) => [kind, name, ...args];
  const runner: Runner = { read: run("read"), write: run("write"), report: run("report") };
  const operation = async (): Promise<void> => {};
  const set = { reads: { find: operation }, writes: { add: operation }, reports: { list: operation } };
  const port = bind(set, runner) as unknown as Record<string, (...args: unknown[]) => Promise<unknown[]>>;
  const called = await Promise.all(Object.values(port).map((method) => method(1, "a")));
  const expected = [
    ["read", "find", 1, "a"],
    ["write", "add", 1, "a"],
    ["report", "list", 1, "a"],
  ];
  assert.deepEqual(called, expected);
});

it("a report is about the account that its first argument is, or has", () => {
  for (const accountId of ["acc_a", null]) {
    assert.equal(accountOf([accountId, "a.example"]), accountId);
    assert.equal(accountOf([{ accountId, limit: 1 }]), accountId);
  }
});
