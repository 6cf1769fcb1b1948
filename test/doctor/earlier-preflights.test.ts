/** Earlier results of preflights by hand: what counts, for how long, and whose files are read and written. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { EarlierPreflights } from "../../src/doctor/earlier-preflights.ts";
import type { AddressPreflight, ReceiverPreflight } from "../../src/doctor/preflight.ts";
import { PROFILES } from "../../src/receivers/profiles.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000 * HOUR_MS;
const [PROFILE] = PROFILES;

function found(more: Partial<ReceiverPreflight>, address: string | null = "192.0.2.10"): AddressPreflight {
  assert.ok(PROFILE);
  const result = { verdict: "refused", step: "greeting", reply: "554 no", advice: null, url: null } as const;
  const receivers = [{ profile: PROFILE, ...result, ...more }];
  return { address, ptr: null, ptrDetail: "", isBound: true, port25: "open", blocklists: [], receivers };
}

const path = (): string => join(mkdtempSync(join(tmpdir(), "earlier-")), "preflight.json");

it("a result counts for an hour, for its address alone", () => {
  const file = path();
  new EarlierPreflights(NOW_MS, file).add([found({})]);
  const known = new EarlierPreflights(NOW_MS + HOUR_MS - 1, file);
  const earlier = known.of("192.0.2.10", "gmail");
  assert.deepEqual([earlier?.verdict, earlier?.reply, earlier?.earlierAtMs], ["refused", "554 no", NOW_MS]);
  assert.equal(known.of("192.0.2.11", "gmail"), null);
  assert.equal(known.of("192.0.2.10", "yahoo"), null);
  // Shown again, it is no new one.
  known.add([found({ earlierAtMs: NOW_MS })]);
  assert.equal(new EarlierPreflights(NOW_MS + HOUR_MS, file).of("192.0.2.10", "gmail"), null);
  assert.equal(new EarlierPreflights(NOW_MS - 1, file).of("192.0.2.10", "gmail"), null, "the clock was set back");
});

it("a receiver that was not reached may be tried again", () => {
  const file = path();
  const known = new EarlierPreflights(NOW_MS, file);
  known.add([found({ verdict: "unreachable", step: "connect" }), found({ verdict: "not_tried", step: null }, null)]);
  assert.equal(new EarlierPreflights(NOW_MS, file).of("192.0.2.10", "gmail"), null);
});

it("a link in the file's place is neither followed nor read, and nothing else is left behind", () => {
  const file = path();
  const other = join(file, "..", "other.json");
  writeFileSync(other, JSON.stringify([["192.0.2.10 gmail", { earlierAtMs: NOW_MS, verdict: "accepted" }]]));
  const before = readFileSync(other, "utf8");
  symlinkSync(other, file);
  const known = new EarlierPreflights(NOW_MS, file);
  assert.equal(known.of("192.0.2.10", "gmail"), null);
  known.add([found({})]);
  assert.equal(readFileSync(other, "utf8"), before);
  assert.ok(lstatSync(file).isFile());
  assert.equal(lstatSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["other.json", "preflight.json"]);
});

it("what cannot be read or written is no fault", () => {
  const file = path();
  for (const text of ["", "{", "null", "[1]", '[["a", null]]', '[["192.0.2.10 gmail", {}]]']) {
    writeFileSync(file, text);
    assert.equal(new EarlierPreflights(NOW_MS, file).of("192.0.2.10", "gmail"), null, text);
  }
  const nowhere = join(file, "..", "none", "preflight.json");
  new EarlierPreflights(NOW_MS, nowhere).add([found({})]);
  assert.equal(existsSync(nowhere), false);
});
