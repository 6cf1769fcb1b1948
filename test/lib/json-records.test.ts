/** The objects of JSON texts, whatever the parts in which they come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonRecords, OBJECT_LENGTH_MAX } from "../../src/lib/json-records.ts";

function recordsOf(text: string, size = text.length): [number, string][] {
  const reader = new JsonRecords(["data"]);
  const found: [number, string][] = [];
  for (let at = 0; at < text.length; at += size) {
    for (const { line, text: json } of reader.push(text.slice(at, at + size))) found.push([line, json]);
  }
  reader.end();
  return found;
}

const TWO: [number, string][] = [
  [1, '{"a":1}'],
  [2, '{"b":[{"c":"]}"}]}'],
];

test("lines, an array and the list of a page have the same objects", () => {
  for (const size of [1, 7, 1000]) {
    assert.deepEqual(recordsOf('{"a":1}\n{"b":[{"c":"]}"}]}\n', size), TWO);
    assert.deepEqual(recordsOf('[{"a":1},\n{"b":[{"c":"]}"}]}]', size), TWO);
    const page = '{"object":"list","more":{"x":{}},"data":[{"a":1},\n{"b":[{"c":"]}"}]}],"next":"{","p":{"q":1}}';
    assert.deepEqual(recordsOf(page, size), TWO);
  }
  assert.deepEqual(recordsOf('{"data":"[","x":"\\"{"}'), [[1, '{"data":"[","x":"\\"{"}']]);
  assert.deepEqual(recordsOf("[]"), []);
});

test("what is no object, ends too early or is too long is an error that names the line", () => {
  assert.throws(() => recordsOf("{}\nx"), /line 2: a JSON object begins with/);
  assert.throws(() => recordsOf('[{"a":1}'), /line 1: the JSON text ends too early/);
  assert.throws(() => recordsOf("{}]"), /line 1: ] closes nothing/);
  assert.throws(() => recordsOf("[".repeat(50)), /too many brackets/);
  assert.throws(() => recordsOf(`{"a":"${"x".repeat(OBJECT_LENGTH_MAX)}"}`), /more than 65536 characters/);
});
