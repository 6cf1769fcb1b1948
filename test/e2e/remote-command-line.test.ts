/** The command line with a service elsewhere: the same commands and output, by the management interface. */
import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { send } from "../support/api-client.ts";
import { type CliOutcome, runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

interface Site {
  world: World;
  /** Runs a command in the service, with an operator's key. */
  there: (...args: string[]) => Promise<CliOutcome>;
  /** Runs a command on the host's own spool. */
  here: (...args: string[]) => Promise<CliOutcome>;
  keyOf: (...options: string[]) => Promise<string>;
  envOf: (key: string) => Record<string, string>;
  home: string;
}

async function startSite(t: TestContext): Promise<Site> {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const home = tempDir(t);
  const here = (...args: string[]) => runCli(args, world.env);
  const keyOf = async (...options: string[]): Promise<string> => {
    const made = await here("keys", "create", "--name", "remote", "--json", ...options);
    return (JSON.parse(made.stdout) as { key: string }).key;
  };
  const envOf = (key: string) => ({ POSTRIDER_URL: world.service.url, POSTRIDER_KEY: key, HOME: home });
  const operator = envOf(await keyOf("--permissions", "operate"));
  return { world, here, keyOf, envOf, home, there: (...args) => runCli(args, operator) };
}

test("a command says the same in the service and on its host", async (t) => {
  const { world, here, there } = await startSite(t);
  await send({ url: world.service.url, key: world.key }, sendBody());
  for (const command of [
    "domains list",
    "domains show shop.example",
    "keys list",
    "messages list --limit 5",
    "accounts list",
    "users list",
    "webhooks list",
    "suppressions list",
    "receivers show gmail",
    "destinations rules",
    "pools list",
    "nodes list",
    "audit list --action key",
    "keys revoke key_x",
    "domains show other.example",
    "messages list --limit 0",
    "keys edit key_x",
  ]) {
    const words = command.split(" ");
    for (const format of [[], ["--json"]]) {
      const [local, remote] = [await here(...words, ...format), await there(...words, ...format)];
      // Between the two, a key's last use may be stored, which changes the widths of columns.
      const text = ({ stdout }: CliOutcome): string =>
        stdout.replace(/"last_used_at":[^,]*|\d{4}-\S+Z|never/g, "T").replace(/ +/g, " ");
      assert.deepEqual([remote.code, text(remote), remote.stderr], [local.code, text(local), local.stderr], command);
    }
  }
});

test("changes are recorded as the key's, and an id is found whatever its account is", async (t) => {
  const { world, there, keyOf, envOf } = await startSite(t);
  assert.equal((await there("accounts", "create", "other")).code, 0);
  const made = await there("keys", "create", "--name", "theirs", "--account", "other", "--json");
  const { id } = JSON.parse(made.stdout) as { id: string };
  const edited = await there("keys", "edit", id, "--name", "changed");
  assert.equal(edited.code, 0, edited.stderr);
  const message = await send({ url: world.service.url, key: world.key }, sendBody());
  const shown = await there("messages", "show", message);
  assert.equal(shown.code, 0, shown.stderr);
  const listed = await there("audit", "list", "--all-accounts", "--action", "key.changed", "--json");
  const [entry] = JSON.parse(listed.stdout) as { actor: { type: string; name: string }; ip: string; after: object }[];
  assert.deepEqual([entry?.actor.type, entry?.actor.name, entry?.ip], ["key", "remote", "127.0.0.1"]);
  assert.deepEqual(entry?.after, { name: "changed" });

  const theirs = await runCli(
    ["messages", "show", message],
    envOf(await keyOf("--account", "other", "--permissions", "manage")),
  );
  assert.deepEqual([theirs.code, /has no message/.test(theirs.stderr)], [1, true]);
});

test("a key that manages an account runs its commands alone, and gives no key the permission to operate", async (t) => {
  const { keyOf, envOf } = await startSite(t);
  const env = envOf(await keyOf("--permissions", "manage"));
  const run = (line: string) => runCli(line.split(" "), env);
  assert.equal((await run("domains list")).code, 0);
  for (const [line, error] of [
    ["accounts list", /accounts list needs a key with the permission operate/],
    ["domains list --account other", /manages only the account default/],
    ["audit list --all-accounts", /--all-accounts is for operators/],
    ["keys create --name x --permissions operate", /Only an operator gives a key the permission operate/],
    ["backup x.tar", /backup works on files of the service's host/],
  ] as const) {
    const { code, stderr } = await run(line);
    assert.deepEqual([code, error.test(stderr)], [1, true], `${line}: ${stderr}`);
  }
  const sender = envOf(await keyOf("--permissions", "send"));
  const refused = await runCli(["domains", "list"], sender);
  assert.match(refused.stderr, /lacks the permission manage/);
});

test("a question is asked where the user is, and nothing is changed without the answer", async (t) => {
  const { world, there, envOf, keyOf } = await startSite(t);
  const env = envOf(await keyOf("--permissions", "manage"));
  const asked: string[] = [];
  const answering = (answer: string) => ({
    ask: async (question: string) => {
      asked.push(question);
      return answer;
    },
  });
  const no = await runCli(["keys", "revoke", world.keyId], env, "", answering("n"));
  assert.deepEqual([no.code, /cancelled: nothing was changed/.test(no.stderr)], [1, true]);
  assert.match(asked[0] ?? "", /Revoke the key/);
  assert.match((await there("keys", "list")).stdout, new RegExp(`${world.keyId} .* active`));
  const yes = await runCli(["keys", "revoke", world.keyId], env, "", answering("y"));
  assert.equal(yes.code, 0, yes.stderr);
  assert.match((await there("keys", "list")).stdout, new RegExp(`${world.keyId} .* revoked`));
});

test("input is sent: standard input, and a file of the client", async (t) => {
  const { there, envOf, keyOf, home } = await startSite(t);
  const env = envOf(await keyOf("--permissions", "operate"));
  const created = await runCli(
    ["users", "create", "ann@example.com", "--password-stdin"],
    env,
    "a password of length\n",
  );
  assert.equal(created.code, 0, created.stderr);
  const file = join(home, "addresses.csv");
  writeFileSync(file, Array.from({ length: 3000 }, (_, i) => `u${i}@example.org\n`).join(""));
  const imported = await there("suppressions", "import", file, "--json");
  assert.equal((JSON.parse(imported.stdout) as { added: number }).added, 3000, imported.stderr);
  const exported = await there("suppressions", "export");
  assert.equal(exported.stdout.trimEnd().split("\n").length, 3001);
  const missing = await there("suppressions", "import", join(home, "none.csv"));
  assert.match(missing.stderr, /none\.csv cannot be read/);
});

test("login keeps the service in a file that only its owner can read, and logout removes it", async (t) => {
  const { world, keyOf, home } = await startSite(t);
  const env = { HOME: home };
  const key = await keyOf("--permissions", "manage");
  const wrong = await runCli(["login", "--url", world.service.url], env, "svc_live_wrong\n");
  assert.deepEqual([wrong.code, /invalid, has expired or has been revoked/.test(wrong.stderr)], [1, true]);
  const done = await runCli(["login", "--url", world.service.url], env, `${key}\n`);
  assert.equal(done.code, 0, done.stderr);
  assert.doesNotMatch(done.stdout, /svc_live_/);
  const file = join(home, ".config/postrider/login.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match((await runCli(["domains", "list"], env)).stdout, /shop\.example +verified/);
  assert.equal((await runCli(["logout"], env)).code, 0);
  assert.equal(existsSync(file), false);
});

test("what is wrong with the service or the settings is said in one line", async (t) => {
  const { world, keyOf } = await startSite(t);
  const key = await keyOf("--permissions", "manage");
  for (const [env, code, error] of [
    [{ POSTRIDER_URL: world.service.url }, 2, /POSTRIDER_URL is set and POSTRIDER_KEY is not/],
    [{ POSTRIDER_KEY: key }, 2, /POSTRIDER_KEY is set and POSTRIDER_URL is not/],
    [{ POSTRIDER_URL: "mail.example.com", POSTRIDER_KEY: key }, 2, /is not a URL/],
    [{ POSTRIDER_URL: "http://127.0.0.1:1", POSTRIDER_KEY: key }, 1, /cannot be reached/],
    [
      { POSTRIDER_URL: `${world.service.url}/dashboard`, POSTRIDER_KEY: key },
      1,
      /check POSTRIDER_URL|Nothing is at this path/,
    ],
  ] as const) {
    const outcome = await runCli(["domains", "list"], env);
    assert.deepEqual([outcome.code, error.test(outcome.stderr)], [code, true], outcome.stderr);
    assert.equal(outcome.stderr.trimEnd().split("\n").length, 1);
    assert.doesNotMatch(outcome.stderr, /svc_live_/);
  }
});

test("status says in five lines whether mail is healthy, here and there", async (t) => {
  const { here, there } = await startSite(t);
  for (const run of [here, there]) {
    const { stdout, code } = await run("status");
    assert.equal(code, 0);
    assert.equal(stdout.trimEnd().split("\n").length, 5, stdout);
    const json = JSON.parse((await run("status", "--json")).stdout) as {
      healthy: boolean;
      reasons: string[];
      doctor: object;
    };
    assert.equal(json.healthy, json.reasons.length === 0);
    assert.deepEqual(Object.keys(json.doctor), ["problems", "warnings"]);
    const checked = await run("status", "--check");
    assert.equal(checked.code, json.healthy ? 0 : 1);
  }
});
