import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openSqliteSpool } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import { runCli, spawnCli } from "./support/run-cli.ts";
import { tempDir } from "./support/temp-dir.ts";
import { sendBody, startWorld } from "./support/world.ts";

const json = (text: string) => JSON.parse(text);

describe("command line beside a running service", () => {
  it("runs as a program: changes take effect with the service's next request, and exit codes are set", async (t) => {
    const world = await startWorld(t);
    const created = await spawnCli(["keys", "create", "--name", "web", "--json"], world.env);
    const { id, key } = json(created.stdout);
    assert.deepEqual([created.code, created.stderr], [0, ""]);
    const authorization = { Authorization: `Bearer ${key}` };
    assert.equal((await world.post(sendBody(), authorization)).status, 202);
    assert.equal((await runCli(["keys", "revoke", id], world.env)).code, 0);
    assert.equal((await world.post(sendBody(), authorization)).status, 401);
    const refused = await spawnCli(["keys", "revoke", "key_none"], world.env);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /^postrider: [^\n]+\n$/);
    assert.equal((await runCli(["keys", "invent"], world.env)).code, 2);
    const { stdout, code } = await spawnCli(
      ["users", "create", "ann@shop.example", "--account", "default", "--password-stdin"],
      world.env,
      "a long enough password\n",
    );
    assert.equal(code, 0, stdout);
  });

  it("binds and verifies domains, creates and revokes keys, and shows messages and the queue, all effective at once", async (t) => {
    const world = await startWorld(t);
    const cli = (...args: string[]) => runCli(args, world.env);
    const jsonOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli(...args, "--json");
      assert.equal(code, 0, stderr);
      assert.equal(stderr, "");
      return json(stdout);
    };

    const added = await jsonOf("domains", "add", "Bücher.example");
    assert.equal(added.domain, "xn--bcher-kva.example");
    const checks = ["ownership", "mx", "spf", "dkim", "dmarc"];
    assert.deepEqual(
      added.records.map((r: { check: string }) => r.check),
      checks,
    );
    for (const record of added.records) assert.deepEqual(Object.keys(record), ["check", "type", "name", "value"]);

    const before = await jsonOf("domains", "verify", "bücher.example");
    assert.equal(before.verified, false);
    assert.deepEqual(Object.keys(before.checks), checks);
    for (const check of checks) {
      assert.deepEqual(Object.keys(before.checks[check]), ["state", "detail", "expected", "found"]);
      assert.equal(before.checks[check].state, "failed");
    }
    const refused = await world.post(sendBody({ from: "a@bücher.example" }));
    assert.equal(((await refused.json()) as { code: string }).code, "domain_not_verified");

    for (const { name, type, value } of added.records) world.zone.set(name, type, [value]);
    const after = await jsonOf("domains", "verify", "bücher.example");
    assert.equal(after.verified, true, JSON.stringify(after.checks));
    assert.equal((await world.post(sendBody({ from: "a@bücher.example" }))).status, 202);

    const key = await jsonOf("keys", "create", "--name", "web");
    assert.deepEqual(Object.keys(key), ["id", "name", "key"]);
    assert.match(key.key, /^svc_live_[A-Za-z0-9_-]{43}$/);
    const authorization = { Authorization: `Bearer ${key.key}` };
    const sent = await world.post(sendBody({ to: "4xx-451@customers.example" }), authorization);
    assert.equal(sent.status, 202);
    const { id } = (await sent.json()) as { id: string };
    assert.equal((await cli("keys", "revoke", key.id)).code, 0);
    assert.equal((await world.post(sendBody(), authorization)).status, 401);
    const again = await cli("keys", "revoke", key.id);
    assert.deepEqual([again.code, again.stderr], [1, `postrider: the key ${key.id} is already revoked\n`]);
    const listed = await jsonOf("keys", "list");
    assert.ok(!JSON.stringify(listed).includes(key.key));
    assert.equal(listed.find((k: { id: string }) => k.id === key.id).last_four, key.key.slice(-4));

    const queue = await jsonOf("queue", "list", "--domain", "customers.example");
    assert.ok(queue.some((entry: { id: string }) => entry.id === id));
    const attemptsOf = async () => (await jsonOf("messages", "show", id)).recipients[0].attempts;
    const attempts = await attemptsOf();
    assert.equal((await jsonOf("queue", "retry", id, "4xx-451@customers.example")).retried, 1);
    while ((await attemptsOf()) <= attempts) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await cli("queue", "retry", id, "other@customers.example")).code, 1);

    assert.equal((await cli("domains", "remove", "bücher.example")).code, 0);
    const removed = await world.post(sendBody({ from: "a@bücher.example" }));
    assert.equal(((await removed.json()) as { code: string }).code, "sender_not_allowed");
    const domains = await jsonOf("domains", "list");
    assert.deepEqual(
      domains.map((d: { domain: string; verified: boolean }) => [d.domain, d.verified]),
      [["shop.example", true]],
    );
  });
});

describe("command line on its own", () => {
  it("keeps accounts apart", async (t) => {
    const dir = tempDir(t);
    const env = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs"), DNS_SERVERS: "127.0.0.1:1" };
    const cli = (...args: string[]) => runCli(args, env);
    assert.equal((await cli("accounts", "create", "blue")).code, 0);
    assert.equal((await cli("accounts", "create", "blue")).code, 1);
    assert.equal((await cli("domains", "add", "shop.example", "--account", "blue")).code, 0);
    assert.equal((await cli("domains", "add", "shop.example", "--account", "blue")).code, 1);
    const names = json((await cli("accounts", "list", "--json")).stdout).map((a: { name: string }) => a.name);
    assert.deepEqual(names, ["blue", "default"]);
    assert.deepEqual(json((await cli("domains", "list", "--json")).stdout), []);
    assert.equal((await cli("domains", "verify", "shop.example")).code, 1);
    assert.match((await cli("keys", "list", "--account", "red")).stderr, /there is no account red/);
    assert.equal(statSync(env.CERTS_DIR).mode & 0o077, 0);
    assert.equal(statSync(join(env.CERTS_DIR, "master.key")).mode & 0o077, 0);
    assert.equal(statSync(env.DATA_DIR).mode & 0o077, 0);
  });

  it("creates users from a password on standard input, and stores only its hash", async (t) => {
    const dir = tempDir(t);
    const env = { DATA_DIR: dir, CERTS_DIR: dir };
    const create = (input: string, ...more: string[]) =>
      runCli(["users", "create", "ann@shop.example", ...more], env, input);
    assert.equal((await create("correct horse battery\n")).code, 2);
    const refusals: [string, RegExp][] = [
      ["short\n", /at least 10 characters/],
      ["correct horse\nbattery staple\n", /must be a single line/],
      ["x".repeat(5000), /longer than 4096 bytes/],
    ];
    for (const [input, words] of refusals) {
      const refused = await create(input, "--password-stdin");
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, words);
      assert.ok(!refused.stderr.includes(input.trim()));
    }
    const created = await create("correct horse battery\n", "--password-stdin", "--operator", "--json");
    assert.equal(created.code, 0, created.stderr);
    assert.equal(json(created.stdout).operator, true);
    assert.equal((await create("correct horse battery\n", "--password-stdin")).code, 1);
    const files = ["postrider.db", "postrider.db-wal"].map((name) => join(dir, name)).filter(existsSync);
    for (const file of files) assert.ok(!readFileSync(file).includes("correct horse battery"));
  });

  it("reports errors in one line: exit 2 for wrong usage, 1 for failures", async (t) => {
    const dir = tempDir(t);
    const env = { DATA_DIR: dir, CERTS_DIR: dir };
    const cases: [string[], number, RegExp][] = [
      [["--json"], 2, /no command given/],
      [
        ["domains", "paint"],
        2,
        /unknown command 'domains paint'; domains takes add, verify, list, show, return-path, reports or remove/,
      ],
      [["domains", "add"], 2, /NAME is missing; usage: postrider domains add NAME/],
      [["keys", "list", "--frob"], 2, /--frob/],
      [["keys", "create"], 2, /--name/],
      [["keys", "revoke", `svc_live_${"x".repeat(43)}`], 1, /^postrider: give the key's ID/],
      [["users", "create", "ann", "--password-stdin"], 1, /ann is not an email address/],
      [["accounts", "create", "Red Team"], 1, /a-z, 0-9/],
      [["domains", "add", "not a domain"], 1, /cannot be added/],
      [["domains", "add", "com"], 1, /com cannot be added: “com” is a public suffix/],
      [["domains", "add", "intranet"], 1, /intranet cannot be added: “intranet” has no dot/],
      [["domains", "verify", "shop.example"], 1, /the account default has no domain shop\.example/],
      [["messages", "show", "msg_x"], 1, /no message msg_x/],
      [["queue", "retry", "msg_x"], 1, /no message msg_x/],
      [["queue", "list", "--domain", "a@b"], 1, /a@b is not a domain name/],
      [["suppressions", "remove", "ann@shop.example"], 1, /no refusals of ann@shop\.example/],
    ];
    assert.equal((await runCli(["accounts", "create", "blue"], env)).code, 0);
    for (const [args, code, words] of cases) {
      const outcome = await runCli(args, env);
      assert.equal(outcome.code, code, args.join(" "));
      assert.match(outcome.stderr, words);
      assert.equal(outcome.stderr.split("\n").length, 2, outcome.stderr);
      assert.equal(outcome.stdout, "");
    }
    const help = await runCli(["--help"], env);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /domains verify NAME/);
  });

  it("prints the doctor's findings, without hanging on an unresponsive resolver", async (t) => {
    const dir = tempDir(t);
    const env = { DATA_DIR: dir, CERTS_DIR: dir, DNS_SERVERS: "127.0.0.1:1", MTA_HOSTNAME: "mta.shop.example" };
    const outcome = await runCli(["doctor", "--json"], env);
    assert.equal(outcome.code, 0, outcome.stderr);
    const findings = json(outcome.stdout) as { check: string; state: string; detail: string }[];
    assert.equal(findings.find((f) => f.check === "resolver")?.state, "problem");
    for (const finding of findings) assert.deepEqual(Object.keys(finding), ["check", "state", "detail"]);
  });
});

describe("data at rest", () => {
  it("contains no private key and no API key in plain text", async (t) => {
    const dir = tempDir(t);
    const env = { DATA_DIR: dir, CERTS_DIR: join(dir, "certs") };
    await runCli(["domains", "add", "shop.example"], env);
    const { stdout } = await runCli(["keys", "create", "--name", "web", "--json"], env);
    const spool = await openSqliteSpool({ dataDir: dir, role: "client", onFatal: (error) => assert.fail(error) });
    t.after(() => spool.close());
    const files = ["postrider.db", "postrider.db-wal"].map((name) => join(dir, name)).filter(existsSync);
    assert.ok(files.length > 0);
    for (const file of files) {
      const bytes = readFileSync(file);
      assert.ok(!bytes.includes("PRIVATE KEY"));
      assert.ok(!bytes.includes(json(stdout).key));
    }
  });
});
