/** What `prove` prints of a proof, its exit code, and its usage. The runs are in test/prove/. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resultOf } from "../../src/cli/prove.ts";
import type { Proof } from "../../src/prove/prove.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROOF: Proof = {
  place: "/var/lib/postrider/data",
  fileSystem: "ext4",
  runMs: 300_000,
  kills: 31,
  accepted: 14_980,
  delivered: 14_967,
  unknown: 13,
  pending: 0,
  lost: [],
  doubled: [],
  answersMs: { p50: 3, p99: 21, max: 90 },
  disk: { fsyncUs: 540, syncedPerSecond: 1840.4, keeps: "plausible", hints: ["It may."] },
};
const LOST = [{ id: "msg_1", reason: "the service does not know it" as const }];
const DOUBLED = [{ number: 3, ids: ["msg_3"], arrivals: 2 }];

const shown = (parts: Partial<Proof> = {}, hasOtherDatabase = false) =>
  resultOf({ ...PROOF, ...parts }, { startedAtMs: 0, hasOtherDatabase });

describe("the verdict", () => {
  it("has the counts, the p99 of the 202, the commits and the disk, and what a kill does not prove", () => {
    const { text, failure } = shown();
    assert.equal(failure, undefined);
    for (const line of [
      /^31 kills in 5 min, on \/var\/lib\/postrider\/data \(ext4\)$/m,
      /accepted +14980 messages; the 202 took 3 ms \(p50\), 21 ms \(p99\)$/m,
      /delivered +14967$/m,
      /unknown +13, killed between the final dot and its record; not sent again$/m,
      /lost +0$/m,
      /doubled +0$/m,
      /commits +1840 a second/m,
      /disk +It may\.$/m,
      /kills do not show what a power cut would lose/,
    ])
      assert.match(text, line);
    assert.doesNotMatch(text, /pending|pg_test_fsync/);
  });

  it("fails, and names the messages, if one is lost or doubled", () => {
    const lost = shown({ lost: LOST });
    assert.equal(lost.failure, "1 message lost");
    assert.match(lost.text, /lost +1; the service does not know it: msg_1$/m);
    const doubled = shown({ doubled: DOUBLED });
    assert.equal(doubled.failure, "1 message doubled");
    assert.match(doubled.text, /doubled +1; msg_3$/m);
  });

  it("fails if the disk does not keep what it acknowledges, and not if that is unclear", () => {
    const disk = (keeps: Proof["disk"]["keeps"]) => shown({ disk: { ...PROOF.disk, keeps } }).failure;
    assert.equal(disk("no"), "the disk does not keep what it acknowledges");
    assert.equal(disk("unclear"), undefined);
  });

  it("names messages that are still pending, and where the messages of PostgreSQL are", () => {
    assert.match(shown({ pending: 2 }).text, /pending +2, not delivered in a minute$/m);
    assert.match(shown({}, true).text, /run pg_test_fsync on the host of that\.$/);
  });

  it("is one document with --json", () => {
    assert.deepEqual(shown({ lost: LOST, doubled: DOUBLED }).json, {
      passed: false,
      failure: "1 message lost; 1 message doubled",
      started_at: "1970-01-01T00:00:00.000Z",
      minutes: 5,
      kills: 31,
      accepted: 14_980,
      delivered: 14_967,
      unknown: 13,
      pending: 0,
      lost: LOST,
      doubled: [{ ids: ["msg_3"], arrivals: 2 }],
      accepted_ms: { p50: 3, p99: 21, max: 90 },
      disk: {
        directory: "/var/lib/postrider/data",
        file_system: "ext4",
        fsync_us: 540,
        commits_per_second: 1840,
        keeps_acknowledged: "plausible",
        hints: ["It may."],
      },
      notes: [
        "A kill leaves what the kernel has in memory, so kills do not show what a power cut would lose. The time of an fsync is only a hint at that.",
      ],
    });
  });
});

describe("the usage", () => {
  it("is wrong with a number of minutes out of range or a directory that does not exist", async (t) => {
    const env = { DATA_DIR: tempDir(t) };
    for (const [words, fault] of [
      [["--minutes", "0"], /--minutes 0: it must be a number above 0, and at most 60/],
      [["--minutes", "soon"], /--minutes soon/],
      [["--minutes", "61"], /--minutes 61/],
      [["--dir", "/nowhere/at/all"], /--dir \/nowhere\/at\/all: there is no such directory/],
    ] as const) {
      const { code, stderr } = await runCli(["prove", ...words], env);
      assert.equal(code, 2);
      assert.match(stderr, fault);
    }
  });

  it("is refused for a service elsewhere, whose disk is not here", async (t) => {
    const env = { DATA_DIR: tempDir(t), POSTRIDER_URL: "http://127.0.0.1:9", POSTRIDER_KEY: "svc_live_x" };
    const { code, stderr } = await runCli(["prove"], env);
    assert.equal(code, 1);
    assert.match(stderr, /prove works on files of the service's host/);
  });
});
