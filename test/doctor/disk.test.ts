import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkFileSystem, checkFsync, diskFinding, fileSystemFinding, fsyncFinding } from "../../src/doctor/disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findingOf, runOn } from "./doctor-input.ts";

describe("the disk", () => {
  it("is a problem when it is full or nearly full, and a warning when it is filling", async (t) => {
    const MIB = 1024 ** 2;
    const state = (freeMib: number) => diskFinding("/data", freeMib * MIB).state;
    assert.deepEqual([0, 100, 500, 2000].map(state), ["problem", "problem", "warning", "ok"]);
    assert.match(
      diskFinding("/data", 0).detail,
      /^0 MiB are free on the disk of the spool \(\/data\)\. Free some space/,
    );
    const below = findingOf(await runOn(`${tempDir(t)}/not/made/yet`, { zone: {} }), "disk");
    assert.match(below.detail, /MiB are free/);
  });
});

describe("the spool's file system", () => {
  it("is a problem in memory or on a network, and a warning in a container layer", () => {
    const state = (magic: number) => fileSystemFinding("/data", magic).state;
    assert.deepEqual([0xef53, 0x01021994, 0x6969, 0x794c7630, 0x12345].map(state), [
      "ok",
      "problem",
      "problem",
      "warning",
      "unclear",
    ]);
    // statfs may give the upper half as negative numbers.
    assert.match(fileSystemFinding("/data", 0x9123683e | 0).detail, /btrfs/);
  });

  it("is measured without leaving a file", async (t) => {
    const dir = tempDir(t);
    assert.match((await checkFsync(dir)).detail, /^An fsync takes [\d.]+ (µs|ms)/);
    assert.match((await checkFileSystem(join(dir, "not/yet"))).detail, /file system \(.*not\/yet\) is /);
    assert.deepEqual(readdirSync(dir), []);
  });

  it("is a warning when fsync is implausibly fast, or slow", () => {
    assert.deepEqual(
      [2, 60, 1700, 30_000, 150_000].map((us) => fsyncFinding(us).state),
      ["warning", "ok", "ok", "ok", "warning"],
    );
    assert.match(fsyncFinding(2).detail, /power failure would lose/);
  });
});
