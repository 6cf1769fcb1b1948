/** Which destinations are known to answer promptly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Promptness } from "../../../src/delivery/throttle/promptness.ts";

test("a few prompt attempts make a destination prompt, and a few late ones end that", () => {
  const promptness = new Promptness();
  for (let count = 0; count < 4; count += 1) promptness.addPrompt("mx.example");
  promptness.note("a.example", "mx.example");
  assert.ok(!promptness.isPrompt("mx.example"));
  promptness.addPrompt("mx.example");
  assert.ok(promptness.isPrompt("mx.example") && promptness.goesToPrompt("a.example"));
  assert.ok(!promptness.goesToPrompt("b.example"));
  promptness.addLate("mx.example");
  assert.ok(!promptness.goesToPrompt("a.example"));
  for (let count = 0; count < 1000; count += 1) promptness.addPrompt("mx.example");
  for (let count = 0; count < 3; count += 1) promptness.addLate("mx.example");
  assert.ok(!promptness.isPrompt("mx.example"), "however long it was prompt before");
});

test("the names are those of prompt destinations and their domains, or of all that were prompt once", () => {
  const promptness = new Promptness();
  for (let count = 0; count < 5; count += 1) promptness.addPrompt("mx.example");
  promptness.addPrompt("mx.new.example");
  for (const domain of ["a.example", "b.example"]) promptness.note(domain, "mx.example");
  promptness.note("new.example", "mx.new.example");
  promptness.note("unknown.example", "mx.unknown.example");
  promptness.note("a.example", "mx.example");
  assert.deepEqual(promptness.names({ alive: false }), ["b.example", "mx.example", "a.example"]);
  const alive = ["b.example", "mx.example", "new.example", "mx.new.example", "a.example"];
  assert.deepEqual(promptness.names({ alive: true }), alive);
});
