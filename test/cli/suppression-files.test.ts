/** The commands for suppressed addresses on a spool: add, import, export, test, list, remove. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCli, spawnCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

async function scene(t: Parameters<typeof tempDir>[0]) {
  const dir = tempDir(t);
  const env = { DATA_DIR: dir, CERTS_DIR: join(dir, "certs") };
  await runCli(["accounts", "create", "other"], env);
  const run = (args: string[], input = "") => runCli(["suppressions", ...args], env, input);
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const listed = async (...args: string[]): Promise<{ email: string; cause: string; until: string | null }[]> =>
    JSON.parse((await run(["list", "--json", ...args])).stdout);
  return { env, run, file, listed };
}

test("addresses are added with a cause and an end, tested and removed", async (t) => {
  const { run, listed } = await scene(t);
  const none = await run(["test", "ann@x.example"]);
  assert.deepEqual(none, { code: 0, stdout: "ann@x.example is not suppressed.\n", stderr: "" });
  assert.equal((await run(["test", "ann@x.example", "--json"])).stdout, "null\n");

  const added = await run(["add", "ann@x.example", "bob@x.example", "--until", "30d"]);
  assert.deepEqual(added, {
    code: 0,
    stdout: "added 2, changed 0, already suppressed 0, invalid 0\n",
    stderr: "",
  });
  const mixed = await run(["add", "ann@x.example", "nobody", "--cause", "complaint", "--json"]);
  assert.equal(mixed.code, 1);
  assert.equal(mixed.stderr, "postrider: 1 of 2 values is not an address\n");
  const { faults, ...counts } = JSON.parse(mixed.stdout);
  assert.deepEqual(counts, { added: 0, changed: 1, already: 0, invalid: 1 });
  assert.deepEqual([faults[0].index, faults[0].email], [1, "nobody"]);

  assert.deepEqual(
    (await listed("--cause", "complaint")).map(({ email, until }) => [email, until]),
    [["ann@x.example", null]],
  );
  assert.match(
    (await run(["test", "bob@x.example"])).stdout,
    /^bob@x\.example {2}added by hand, suppressed since 2.*, until 2/,
  );
  assert.equal((await run(["remove", "bob@x.example"])).code, 0);
  assert.deepEqual((await listed()).length, 1);
  assert.match((await run(["list", "--search", "zz"])).stdout, /^No suppressed address matches\.$/m);
});

test("wrong usage is told in one line", async (t) => {
  const { run } = await scene(t);
  const wrong: [string[], RegExp][] = [
    [["add"], /EMAIL is missing; usage: postrider suppressions add EMAIL…/],
    [["add", "a@x.example", "--cause", "refusals"], /'refusals'/],
    [["add", "a@x.example", "--until", "soon"], /--until 'soon' is neither a time/],
    [["add", "a@x.example", "--until", "2020-01-01T00:00:00Z"], /is in the past/],
    [["list", "--limit", "0"], /--limit '0' is not a whole number from 1 to 10000/],
    [["export", "--format", "xml"], /'xml'/],
  ];
  for (const [args, words] of wrong) {
    const { code, stderr } = await run(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, words);
  }
  const invalid = await run(["test", "nobody"]);
  assert.deepEqual(
    [invalid.code, invalid.stderr],
    [1, 'postrider: nobody is not an email address: The address has no "@".\n'],
  );
});

test("a file is imported, first as a dry run, and exported in the form that an import reads", async (t) => {
  const { run, file, listed, env } = await scene(t);
  const path = file(
    "ses.csv",
    "EmailAddress,Reason,LastUpdateTime\na@x.example,BOUNCE,2020-04-10T21:03:05Z\nb,BOUNCE,\n",
  );
  const dry = await run(["import", path, "--dry-run"]);
  assert.equal(dry.code, 0);
  assert.match(
    dry.stdout,
    /^Form: Amazon SES\nRead: bounce 1, invalid 1\nNothing was added \(--dry-run\)\.\n {2}line 3: b: /,
  );
  assert.deepEqual(await listed(), []);
  const done = JSON.parse((await run(["import", path, "--json"])).stdout);
  assert.deepEqual([done.format, done.added, done.invalid, done.dry_run], ["Amazon SES", 1, 1, false]);
  const input = await run(["import", "-", "--cause", "unsubscribed", "--until", "2h"], "c@x.example\nd@x.example\n");
  assert.match(input.stdout, /^Form: list of addresses\nRead: unsubscribed 2, invalid 0\nDone: added 2, /);

  const csv = await spawnCli(["suppressions", "export"], env);
  assert.deepEqual([csv.code, csv.stderr], [0, ""]);
  const lines = csv.stdout.split("\r\n");
  assert.equal(lines[0], "email,cause,since,until");
  assert.match(lines[1] ?? "", /^d@x\.example,unsubscribed,2.*Z,2.*Z$/);
  assert.equal(lines[3], "a@x.example,bounce,2020-04-10T21:03:05.000Z,");
  const ndjson = await run(["export", "--format", "ndjson", "--cause", "bounce"]);
  assert.equal(
    ndjson.stdout,
    '{"email":"a@x.example","cause":"bounce","since":"2020-04-10T21:03:05.000Z","until":null}\n',
  );
  const other = await run(["import", "-", "--account", "other"], csv.stdout);
  assert.match(other.stdout, /^Form: Postrider\nRead: unsubscribed 2, bounce 1, invalid 0\n/);
  assert.equal((await run(["export", "--account", "other"])).stdout, csv.stdout);
});

test("a file that cannot be read, or has other columns, adds nothing and says why", async (t) => {
  const { run, file } = await scene(t);
  const missing = await run(["import", "/nonexistent/file.csv"]);
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    /^postrider: \/nonexistent\/file\.csv cannot be read: no such file or directory \(ENOENT\)\n$/,
  );
  const unknown = await run(["import", file("crm.csv", "email,name,phone\na@x.example,A,1\n")]);
  assert.equal(unknown.code, 1);
  assert.match(
    unknown.stderr,
    /nothing was added: line 1: the columns email,name,phone are of no known form\. Expected: /,
  );
  const broken = await run(["import", file("broken.csv", 'a@x.example\n"b')]);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /added 1/);
  assert.match(broken.stderr, /the rest of the file was not read: line 2: a quoted cell has no closing quote/);
});
