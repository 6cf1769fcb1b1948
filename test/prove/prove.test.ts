/** Runs of a few seconds with real kills: on a memory file system through the command line, and with a sink and a disk that fail. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { resultOf } from "../../src/cli/prove.ts";
import { type ProveOptions, prove } from "../../src/prove/prove.ts";
import { spawnCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const RUN_MS = 3000;
const MEMORY = "/dev/shm";

const run = (dir: string, faults: ProveOptions["faults"] = {}) =>
  prove({ dir, runMs: RUN_MS, signal: new AbortController().signal, progress: () => {}, faults });

const isMissing = existsSync(MEMORY) || process.env.CI === "true" ? false : `needs ${MEMORY}`;

test("on a file system in memory, kills lose nothing and a power cut would lose all", {
  skip: isMissing,
}, async (t) => {
  const dir = mkdtempSync(join(MEMORY, "postrider-prove-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { code, stdout, stderr } = await spawnCli(["prove", "--minutes", "0.05", "--json"], { DATA_DIR: dir });
  const { kills, accepted, delivered, unknown, disk, ...json } = JSON.parse(stdout);
  assert.equal(code, 1);
  assert.match(stderr, /^postrider: the disk does not keep what it acknowledges\n$/);
  assert.ok(kills > 0 && accepted > 0, stdout);
  assert.deepEqual([json.lost, json.doubled, json.pending], [[], [], 0]);
  assert.equal(delivered + unknown, accepted);
  assert.equal(json.passed, false);
  assert.equal(disk.file_system, "tmpfs");
  assert.match(disk.hints.join(), /nothing survives a power cut/);
  assert.deepEqual(readdirSync(dir), [], "the folder is removed");
});

test("a broken record of the sink is a lost message, and two records are a doubled one", async (t) => {
  const dir = tempDir(t);
  const proof = await run(dir, {
    recorder(number, content) {
      if (number % 3 === 1) return [content.subarray(0, -40)];
      return number % 3 === 2 ? [content, content] : [content];
    },
  });
  const { failure = "", text } = resultOf(proof, { startedAtMs: 0, hasOtherDatabase: false });
  assert.match(failure, /messages? lost; \d+ messages? doubled/);
  assert.ok(proof.lost.length > 0 && proof.lost.length < proof.accepted, text);
  for (const { reason } of proof.lost) assert.equal(reason, "reported as delivered, not at the sink");
  for (const { number, arrivals } of proof.doubled) assert.deepEqual([number % 3, arrivals], [2, 2]);
  assert.deepEqual(readdirSync(dir), []);
});

test("a disk that loses at a crash what it has acknowledged loses messages", async (t) => {
  const kept = join(tempDir(t), "kept");
  const proof = await run(tempDir(t), {
    beforeLoad: (dataDir) => cpSync(dataDir, kept, { recursive: true }),
    afterKill(dataDir) {
      rmSync(dataDir, { recursive: true });
      cpSync(kept, dataDir, { recursive: true });
    },
  });
  const { failure = "" } = resultOf(proof, { startedAtMs: 0, hasOtherDatabase: false });
  assert.match(failure, /messages? lost/);
  assert.ok(proof.lost.some(({ reason }) => reason === "the service does not know it"));
});
