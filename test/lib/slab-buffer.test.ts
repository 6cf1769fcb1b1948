import assert from "node:assert/strict";
import { test } from "node:test";
import { SlabBuffer } from "../../src/lib/slab-buffer.ts";

const MB = 1024 * 1024;

const KB = 1024;

const bytesOf = (id: string, bytes: number): Buffer => Buffer.alloc(bytes, id);

for (const { size, bytes, fit } of [
  { size: "small", bytes: 4 * KB + 1, fit: 24 * 255 },
  { size: "large", bytes: 5 * MB, fit: 4 },
]) {
  test(`evicts the oldest ${size} entries beyond 24 MiB, and returns the others unchanged, once`, () => {
    const buffer = new SlabBuffer(24 * MB);
    const ids = Array.from({ length: fit + 300 }, (_, i) => `id ${i}.`);
    for (const id of ids) buffer.put(id, bytesOf(id, bytes));
    const kept = ids.filter((id) => buffer.take(id)?.equals(bytesOf(id, bytes)));
    assert.ok(kept.length <= fit && kept.length > fit * 0.9, `${kept.length} of ${fit}`);
    assert.deepEqual(kept, ids.slice(-kept.length));
    for (const id of ids) assert.equal(buffer.take(id), null);
  });
}

test("a taken entry frees its space, and stays unchanged while others are added", () => {
  const buffer = new SlabBuffer(24 * MB);
  buffer.put("waits", bytesOf("waits", 100));
  const taken: [string, Buffer | null][] = [];
  for (let i = 0; i < 20_000; i++) {
    buffer.put(`id ${i}.`, bytesOf(`id ${i}.`, 4 * KB));
    taken.push([`id ${i}.`, buffer.take(`id ${i}.`)]);
  }
  for (const [id, bytes] of taken) assert.ok(bytes?.equals(bytesOf(id, 4 * KB)), id);
  assert.ok(buffer.take("waits")?.equals(bytesOf("waits", 100)), "80 MB later");
});

test("small and large entries share the limit, and a replaced entry counts once", () => {
  const buffer = new SlabBuffer(24 * MB);
  for (let times = 0; times < 6; times++) buffer.put("again", bytesOf("again", 5 * MB));
  buffer.put("small", bytesOf("small", 100));
  for (const id of ["a", "b", "c"]) buffer.put(id, bytesOf(id, 5 * MB));
  assert.ok(buffer.take("again")?.equals(bytesOf("again", 5 * MB)), "four times 5 MiB fit");
  for (const id of ["d", "e"]) buffer.put(id, bytesOf(id, 5 * MB));
  assert.equal(buffer.take("small"), null, "its slab was the oldest");
  buffer.put("small", bytesOf("small", 200));
  assert.ok(buffer.take("small")?.equals(bytesOf("small", 200)));
  assert.ok(buffer.take("e")?.equals(bytesOf("e", 5 * MB)));
});

test("does not store an entry larger than a quarter of the limit", () => {
  const buffer = new SlabBuffer(24 * MB);
  buffer.put("huge", Buffer.alloc(6 * MB + 1));
  assert.equal(buffer.take("huge"), null);
});

test("an entry's text is returned with it, for small and large entries, and replaced with it", () => {
  const buffer = new SlabBuffer(24 * MB);
  buffer.put("small", bytesOf("small", KB), "first");
  buffer.put("small", bytesOf("small", 2 * KB), "second");
  buffer.put("large", bytesOf("large", 5 * MB), "third");
  const taken = ["small", "large"].map((id) => buffer.takeNoted(id));
  assert.deepEqual(
    taken.map((entry) => [entry?.bytes.length, entry?.note]),
    [
      [2 * KB, "second"],
      [5 * MB, "third"],
    ],
  );
  assert.equal(buffer.takeNoted("small"), null);
});
