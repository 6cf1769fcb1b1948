/** Requests for probes, as any process of a spool stores and reads them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addProbeRequests, type ProbeRequest, readProbeRequests } from "../../../src/spool/port/probe-requests.ts";

function storeOf(text: string | null = null) {
  const store = {
    text,
    readValue: async () => store.text,
    async writeValue(_: string, written: string) {
      store.text = written;
    },
  };
  return store;
}

const request = (id: string, domain: string, atMs: number, accountId: string | null = null): ProbeRequest => ({
  id,
  accountId,
  domain,
  messageId: null,
  atMs,
});

test("a request replaces the older one for its recipient domain, and is over after a minute", async () => {
  const store = storeOf();
  await addProbeRequests(store, [request("a", "a.example", 0)], 0);
  await addProbeRequests(store, [request("b", "b.example", 30_000), request("c", "a.example", 30_000)], 30_000);
  const idsAt = async (nowMs: number) => (await readProbeRequests(store, nowMs)).map(({ id }) => id);
  assert.deepEqual(await idsAt(30_000), ["b", "c"]);
  assert.deepEqual(await idsAt(90_000), []);
  assert.deepEqual(await idsAt(-40_000), [], "made by a clock that is far ahead");
});

test("the newest fifty are kept", async () => {
  const store = storeOf();
  for (let i = 0; i < 60; i += 1) await addProbeRequests(store, [request(`r${i}`, `d${i}.example`, i)], i);
  const kept = await readProbeRequests(store, 60);
  assert.deepEqual([kept.length, kept[0]?.id, kept.at(-1)?.id], [50, "r10", "r59"]);
});

test("an account replaces only its own requests, and has ten at most", async () => {
  const store = storeOf();
  await addProbeRequests(store, [request("theirs", "a.example", 0, "acc_b")], 0);
  for (let i = 0; i < 60; i += 1) await addProbeRequests(store, [request(`r${i}`, `d${i}.example`, i, "acc_a")], i);
  await addProbeRequests(store, [request("own", "a.example", 60, "acc_a")], 60);
  const kept = (await readProbeRequests(store, 60)).map(({ id }) => id);
  assert.deepEqual(kept, ["theirs", ...Array.from({ length: 9 }, (_, i) => `r${i + 51}`), "own"]);
});

test("an entry that cannot be read is no request", async () => {
  for (const text of ["not JSON", "{}", "[null, 1, {}]", "null"])
    assert.deepEqual(await readProbeRequests(storeOf(text), 1), []);
});
