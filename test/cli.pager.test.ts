/** A long result on a terminal is shown a page at a time, and anything else is written. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { programArgs } from "./support/program.ts";
import { tempDir } from "./support/temp-dir.ts";

const hasScript = (() => {
  try {
    execFileSync("script", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();
const skip = hasScript || process.env.CI === "true" ? false : "needs the program script of util-linux";

/** Runs `postrider help` with a pager that marks what it shows; `isTerminal`: on a terminal of ten lines. */
async function shown(t: TestContext, { isTerminal, pager }: { isTerminal: boolean; pager?: string }): Promise<string> {
  const path = join(tempDir(t), "pager");
  writeFileSync(path, "#!/bin/sh\necho PAGED\ncat\n", { mode: 0o755 });
  const words = [process.execPath, ...programArgs("src/cli.ts"), "help"];
  const line = `stty rows 10; exec ${words.map((word) => `'${word}'`).join(" ")}`;
  const [file, args] = isTerminal
    ? ["script", ["-qec", line, "/dev/null"]]
    : (["sh", ["-c", words.join(" ")]] as const);
  const env = { ...process.env, PAGER: pager ?? path, NO_COLOR: "1" };
  return (await promisify(execFile)(file, [...args], { env })).stdout;
}

test("a result longer than the terminal goes through PAGER", { skip }, async (t) => {
  const text = await shown(t, { isTerminal: true });
  assert.match(text, /^PAGED/);
  assert.match(text, /postrider NOUN VERB/);
});

test("without such a program, or without a terminal, it is written", { skip }, async (t) => {
  for (const how of [
    { isTerminal: true, pager: "/nowhere/less" },
    { isTerminal: true, pager: "cat" },
    { isTerminal: false },
  ]) {
    const text = await shown(t, how);
    assert.doesNotMatch(text, /PAGED/);
    assert.match(text, /postrider NOUN VERB/);
  }
});
