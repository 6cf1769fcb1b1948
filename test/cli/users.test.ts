/** Listing and removing users, and the quota of an account. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

async function installation(t: TestContext) {
  const dir = tempDir(t);
  const env = { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs`, QUOTA_DAILY: "100" };
  const cli = (args: string[], terminal = {}) => runCli(args, env, "a long enough password\n", terminal);
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli([...args, "--json"]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  await cli(["accounts", "create", "blue"]);
  await done("users", "create", "ann@shop.example", "--password-stdin", "--operator");
  await done("users", "create", "bob@blue.example", "--password-stdin", "--account", "blue");
  return { cli, done };
}

it("lists the users of all accounts, or of the one that is named", async (t) => {
  const { cli, done } = await installation(t);
  const users = await done("users", "list");
  assert.deepEqual(
    users.map((user: Record<string, unknown>) => [user.email, user.account, user.operator, user.second_factor]),
    [
      ["ann@shop.example", "default", true, false],
      ["bob@blue.example", "blue", false, false],
    ],
  );
  const { stdout } = await cli(["users", "list", "--account", "blue"]);
  assert.match(stdout, /^EMAIL +ACCOUNT +ROLE +OPERATOR .*\nbob@blue\.example +blue +owner +off +\S+Z\n$/);
});

it("removes a user, and warns of the last operator", async (t) => {
  const { cli, done } = await installation(t);
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return "no";
  };
  const kept = await cli(["users", "remove", "ann@shop.example"], { ask });
  assert.deepEqual([kept.code, kept.stderr], [1, "postrider: cancelled: nothing was changed\n"]);
  assert.match(questions.join(), /^Remove the user ann@shop\.example\? .* No operator is left then\. \[y\/N\] $/);
  assert.equal((await done("users", "remove", "BOB@blue.example")).removed, true);
  assert.equal((await done("users", "list")).length, 1);
  const again = await cli(["users", "remove", "bob@blue.example"]);
  assert.deepEqual([again.code, again.stderr], [1, "postrider: there is no user bob@blue.example\n"]);
});

it("sets the quota of an account", async (t) => {
  const { cli, done } = await installation(t);
  const quota = (name: string, n: string) => done("accounts", "set-quota", name, n);
  assert.deepEqual(await quota("blue", "5000"), {
    ...{ account: "blue", quota_daily: 5000, effective_quota_daily: 5000 },
  });
  assert.equal((await quota("blue", "0")).effective_quota_daily, 0);
  assert.deepEqual(await quota("blue", "default"), {
    ...{ account: "blue", quota_daily: null, effective_quota_daily: 100 },
  });
  const { stdout } = await cli(["accounts", "set-quota", "default", "1"]);
  assert.equal(stdout, "The account default has 1 recipient a day.\n");
  assert.equal((await cli(["accounts", "set-quota", "red", "1"])).code, 1);
  for (const n of ["-1", "1.5", "many"]) {
    assert.equal((await cli(["accounts", "set-quota", "--", "blue", n])).code, 2, n);
  }
});
