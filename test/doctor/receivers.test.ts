import assert from "node:assert/strict";
import { it } from "node:test";
import type { ReceiverBlock } from "../../src/doctor/finding.ts";
import { checkReceivers } from "../../src/doctor/receivers.ts";
import { doctorInput, NOW_MS } from "./doctor-input.ts";

const block = (parts: Partial<ReceiverBlock> = {}): ReceiverBlock => ({
  label: "T-Online",
  isKnown: true,
  address: "192.0.2.10",
  sinceMs: NOW_MS,
  reply: "554 no",
  url: "https://postmaster.t-online.de/",
  ...parts,
});

const checked = (blocks: ReceiverBlock[]) => checkReceivers(doctorInput({}, {}, { blocks: async () => blocks }));

it("is ok while no receiver refuses the server", async () => {
  assert.equal((await checked([])).state, "ok");
  assert.equal((await checkReceivers(doctorInput({}))).state, "ok");
});

it("names receiver, address, time, words and where to ask, those with a profile first", async () => {
  const other = block({ label: "mx.example", isKnown: false, address: null, sinceMs: 0, reply: null, url: null });
  assert.deepEqual(await checked([other, block()]), {
    check: "receivers",
    state: "problem",
    detail:
      "T-Online rejects mail from 192.0.2.10 since 2026-03-01T10:00:00.000Z: “554 no”. Ask for delisting at https://postmaster.t-online.de/. " +
      "mx.example rejects mail since 1970-01-01T00:00:00.000Z. " +
      "The messages wait, and none fails because of it before its time is over.",
  });
  assert.equal((await checked([other])).state, "warning");
});

it("names five, and how many more there are", async () => {
  const { detail } = await checked(Array.from({ length: 8 }, (_, i) => block({ label: `r${i}` })));
  assert.match(detail, /^r0 rejects .* r4 rejects .* So do 3 more: receivers list shows them\./);
  assert.doesNotMatch(detail, /r5/);
});
