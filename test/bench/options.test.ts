import assert from "node:assert/strict";
import { test } from "node:test";
import { type Options, readOptions } from "../../bench/options.ts";

const read = (...args: string[]): Options => {
  const options = readOptions(args, ["accept", "idle"]);
  if (typeof options === "string") throw new Error(options);
  return options;
};

test("measures everything in full without arguments", () => {
  const { figures, rounds, spoolMessages, peer, dir } = read();
  assert.deepEqual(
    { figures, spoolMessages, peer, dir },
    { figures: [], spoolMessages: 1_000_000, peer: null, dir: null },
  );
  assert.ok(rounds > 1);
});

test("--quick reduces the load, and explicit options override it", () => {
  const { messages, rounds, figures } = read("--quick", "--rounds", "4", "--figure", "idle,accept");
  assert.deepEqual({ rounds, figures }, { rounds: 4, figures: ["idle", "accept"] });
  assert.ok(messages < read().messages);
});

test("the group large stands for its figures", () => {
  const options = readOptions(["--figure", "large,idle"], ["large-messages", "large-concurrent", "idle"]);
  assert.ok(typeof options !== "string");
  assert.deepEqual(options.figures, ["large-messages", "large-concurrent", "idle"]);
});

test("--against names a commit, and compares on the image's Node and on 20 unless others are named", () => {
  const { against } = read("--against", "HEAD");
  assert.match(against?.commit ?? "", /^[0-9a-f]{40}$/);
  assert.deepEqual([against?.nodes, against?.isSmallOnly], [["24", "20"], false]);
  assert.deepEqual(read("--against", "HEAD", "--node", "22", "--quick").against?.nodes, ["22"]);
  assert.equal(read().against, null);
});

test("rejects invalid arguments with one line", () => {
  const invalid = [["--figure", "none"], ["--peer", "exim"], ["--messages", "0"], ["--rounds", "x"], ["--fast"]];
  for (const args of [...invalid, ["--against", "none"], ["--against", "HEAD", "--node", "new"]]) {
    assert.equal(typeof readOptions(args, ["accept"]), "string", args.join(" "));
  }
});
