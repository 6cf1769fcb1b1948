/** What the file system and the time of an fsync hint at. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { fileSystemOf } from "../../src/doctor/disk.ts";
import { durabilityOf, measureSyncs } from "../../src/doctor/durability.ts";
import { tempDir } from "../support/temp-dir.ts";

const [EXT4, TMPFS, NFS, OVERLAY, OTHER] = [0xef53, 0x01021994, 0x6969, 0x794c7630, 0x12345].map(fileSystemOf);

const keeps = (fileSystem: typeof EXT4, fsyncUs: number) => {
  assert.ok(fileSystem);
  return durabilityOf(fileSystem, fsyncUs);
};

describe("a disk", () => {
  it("does not keep what it acknowledges faster than any disk", () => {
    const { keeps: verdict, hints } = keeps(EXT4, 0.4);
    assert.equal(verdict, "no");
    assert.match(hints.join(), /takes less than 1 µs \(median\), faster than any disk/);
  });

  it("is unclear where only a write cache is as fast, whether protected or not", () => {
    const { keeps: verdict, hints } = keeps(EXT4, 90);
    assert.equal(verdict, "unclear");
    assert.match(hints.join(), /90 µs \(median\), which takes a write cache.*does not show which/);
  });

  it("is plausible where an fsync takes the time of a write, which proves nothing", () => {
    const { keeps: verdict, hints } = keeps(EXT4, 1800);
    assert.equal(verdict, "plausible");
    assert.match(hints.join(), /a hint, not a proof/);
  });
});

describe("a file system", () => {
  it("in memory keeps nothing in a power cut, however long an fsync takes", () => {
    for (const fsyncUs of [0.4, 1800])
      assert.deepEqual(keeps(TMPFS, fsyncUs), {
        keeps: "no",
        hints: ["The file system, tmpfs, is in memory: nothing survives a power cut or a restart there."],
      });
  });

  it("on a network, of a container or unknown is never plausible", () => {
    for (const fileSystem of [NFS, OVERLAY, OTHER])
      assert.deepEqual(
        [0.4, 90, 1800].map((us) => keeps(fileSystem, us).keeps),
        ["no", "unclear", "unclear"],
      );
  });
});

it("measures without leaving a file", async (t) => {
  const dir = tempDir(t);
  const { fsyncUs, syncedPerSecond } = await measureSyncs(dir, 50);
  assert.ok(fsyncUs > 0 && syncedPerSecond > 0, `${fsyncUs} µs, ${syncedPerSecond} a second`);
  assert.deepEqual(readdirSync(dir), []);
});
