/** Bytes that come and go: bounded, handed out once, as they were. */
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
  test(`beyond 24 MiB of ${size} ones the oldest go, and the others come back as they were, once`, () => {
    const passing = new SlabBuffer(24 * MB);
    const ids = Array.from({ length: fit + 300 }, (_, i) => `id ${i}.`);
    for (const id of ids) passing.put(id, bytesOf(id, bytes));
    const kept = ids.filter((id) => passing.take(id)?.equals(bytesOf(id, bytes)));
    assert.ok(kept.length <= fit && kept.length > fit * 0.9, `${kept.length} of ${fit}`);
    assert.deepEqual(kept, ids.slice(-kept.length));
    for (const id of ids) assert.equal(passing.take(id), null);
  });
}

test("what is taken makes room, and stays as it is while others come", () => {
  const passing = new SlabBuffer(24 * MB);
  passing.put("waits", bytesOf("waits", 100));
  const taken: [string, Buffer | null][] = [];
  for (let i = 0; i < 20_000; i++) {
    passing.put(`id ${i}.`, bytesOf(`id ${i}.`, 4 * KB));
    taken.push([`id ${i}.`, passing.take(`id ${i}.`)]);
  }
  for (const [id, bytes] of taken) assert.ok(bytes?.equals(bytesOf(id, 4 * KB)), id);
  assert.ok(passing.take("waits")?.equals(bytesOf("waits", 100)), "80 MB later");
});

test("small and large ones share the room, and what is put twice counts once", () => {
  const passing = new SlabBuffer(24 * MB);
  for (let times = 0; times < 6; times++) passing.put("again", bytesOf("again", 5 * MB));
  passing.put("small", bytesOf("small", 100));
  for (const id of ["a", "b", "c"]) passing.put(id, bytesOf(id, 5 * MB));
  assert.ok(passing.take("again")?.equals(bytesOf("again", 5 * MB)), "four times 5 MiB fit");
  for (const id of ["d", "e"]) passing.put(id, bytesOf(id, 5 * MB));
  assert.equal(passing.take("small"), null, "its slab was the oldest");
  passing.put("small", bytesOf("small", 200));
  assert.ok(passing.take("small")?.equals(bytesOf("small", 200)));
  assert.ok(passing.take("e")?.equals(bytesOf("e", 5 * MB)));
});

test("what is larger than a quarter of all is not kept", () => {
  const passing = new SlabBuffer(24 * MB);
  passing.put("huge", Buffer.alloc(6 * MB + 1));
  assert.equal(passing.take("huge"), null);
});
