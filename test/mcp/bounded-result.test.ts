/** What a tool returns is bounded, and names what was left out. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { bounded } from "../../src/mcp/bounded-result.ts";

const numbers = (length: number): number[] => Array.from({ length }, (_, i) => i);

it("leaves small results as they are", () => {
  const data = { id: "msg_a", recipients: [{ email: "ann@example.org", events: numbers(100) }], next: null };
  assert.deepEqual(bounded(data), data);
});

it("shortens lists and texts, of a history the older entries", () => {
  const result = bounded({ data: numbers(101), recipients: [{ events: numbers(101) }], text: "x".repeat(4001) });
  assert.deepEqual(result.data, numbers(100));
  assert.deepEqual(result.recipients, [{ events: numbers(101).slice(1) }]);
  assert.equal((result.text as string).length, 4000);
  assert.deepEqual(result.shortened, [
    "data: 100 of 101 entries",
    "recipients[0].events: 100 of 101 entries",
    "text: 4000 of 4001 characters",
  ]);
});

it("shortens a large result further until it fits", () => {
  const recipients = numbers(100).map((i) => ({
    email: `${i}@example.org`,
    events: numbers(100).map(() => "x".repeat(300)),
  }));
  const result = bounded({ recipients });
  assert.ok(JSON.stringify(result).length < 120_000);
  assert.ok((result.recipients as unknown[]).length >= 3);
  assert.ok((result.shortened as string[]).length <= 20);
});

it("does not cut a character in two", () => {
  const { text } = bounded({ text: `${"x".repeat(3999)}😀` });
  assert.ok((text as string).isWellFormed());
});
