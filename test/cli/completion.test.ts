/** Shell completion: what bash offers for a line, and scripts that other shells can read. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { withoutProgram } from "../support/debian-program.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const scriptFor = async (shell: string): Promise<string> => (await runCli(["completion", shell], {})).stdout;

/** What bash offers at the end of a line. bash takes `=` as a word of its own. */
async function offered(...lines: string[][]): Promise<string[][]> {
  const script = await scriptFor("bash");
  const asked = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _postrider 2>/dev/null; echo "\${COMPREPLY[*]}"`;
  });
  const out = execFileSync("bash", ["--norc", "-c", `${script}\n${asked.join("\n")}`], { encoding: "utf8" });
  return out
    .split("\n")
    .slice(0, lines.length)
    .map((line) => line.split(" ").filter(Boolean));
}

describe("completion in bash", () => {
  it("offers nouns, verbs, options, values and choices", async () => {
    const results = await offered(
      ["postrider", "que"],
      ["postrider", "--account", "blue", "domains", "re"],
      ["postrider", "help", "queue", "l"],
      ["postrider", "queue", "retry", "--re"],
      ["postrider", "queue", "list", "--json", "--do"],
      ["postrider", "messages", "list", "--result", "f"],
      ["postrider", "messages", "list", "--result", "=", "f"],
      ["postrider", "messages", "--limit", "10", "list", "--result", "=", "un"],
      ["postrider", "domains", "return-path", "a.example", "o"],
      ["postrider", "completion", ""],
      ["postrider", "destinations", "l"],
      ["postrider", "restore", "--y"],
    );
    assert.deepEqual(results, [
      ["queue"],
      ["return-path", "reports", "remove"],
      ["list"],
      ["--reason", "--receiver"],
      ["--domain"],
      ["failed"],
      ["failed"],
      ["unknown"],
      ["on", "off"],
      ["bash", "zsh", "fish"],
      ["list"],
      ["--yes"],
    ]);
  });

  it("offers nothing where anything may stand, and no option of another command", async () => {
    const results = await offered(
      ["postrider", "messages", "show", ""],
      ["postrider", "queue", "list", "--domain", ""],
      ["postrider", "--account", ""],
      ["postrider", "doctor", "--domai"],
      ["postrider", "frob", ""],
    );
    assert.deepEqual(results, [[], [], [], [], []]);
  });

  it("offers files for a file", async (t) => {
    const dir = tempDir(t);
    writeFileSync(`${dir}/backup.tar`, "");
    const results = await offered(["postrider", "restore", `${dir}/back`], ["postrider", "backup", `${dir}/back`]);
    assert.deepEqual(results, [[`${dir}/backup.tar`], [`${dir}/backup.tar`]]);
  });
});

describe("completion scripts", () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    it(`${shell} can read its script`, { skip: withoutProgram(shell, shell) }, async (t) => {
      const file = `${tempDir(t)}/script`;
      writeFileSync(file, await scriptFor(shell));
      const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });
  }

  it("need neither settings nor a spool, and know the shells", async () => {
    const { code, stdout } = await runCli(["completion", "bash", "--json"], { PORT: "no port" });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).shell, "bash");
    const { code: wrong, stderr } = await runCli(["completion", "tcsh"], {});
    assert.deepEqual([wrong, stderr.split(";")[0]], [2, "postrider: 'tcsh' is not bash, zsh or fish"]);
  });
});
