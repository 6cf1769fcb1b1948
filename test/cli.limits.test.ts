/** The limits of an account, as the command line reports them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { runCli } from "./support/run-cli.ts";
import { tempDir } from "./support/temp-dir.ts";

it("refuses one domain, key or user too many in one line, counting each account separately", async (t) => {
  const dir = tempDir(t);
  const limits = { DOMAINS_MAX: "1", KEYS_MAX: "1", USERS_MAX: "1" };
  const env = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs"), SENDING_IPS: "192.0.2.1", ...limits };
  const run = (line: string, more: string[] = []) =>
    runCli([...line.split(" "), ...more], env, "a long enough password\n");
  const user = ["--password-stdin"];
  for (const account of ["default", "other"]) {
    if (account === "other") assert.equal((await run("accounts create other")).code, 0);
    const to = ["--account", account];
    assert.equal((await run("domains add one.example", to)).code, 0);
    assert.equal((await run("keys create --name web", to)).code, 0);
    assert.equal((await run(`users create ann@${account}.example`, [...user, ...to])).code, 0);
    const refusals: [string, string[], string][] = [
      ["domains add two.example", to, "1 domain (DOMAINS_MAX): remove one first"],
      ["keys create --name app", to, "1 active key (KEYS_MAX): revoke one first"],
      [`users create ben@${account}.example`, [...user, ...to], "1 user (USERS_MAX): remove one first"],
    ];
    for (const [line, more, end] of refusals) {
      const stderr = `postrider: the account ${account} has reached its limit of ${end}\n`;
      assert.deepEqual(await run(line, more), { code: 1, stdout: "", stderr });
    }
  }
  const long = await run(`keys create --name ${"x".repeat(101)}`);
  assert.deepEqual([long.code, long.stderr], [1, "postrider: the key's name must have at most 100 characters\n"]);
});
