/** Commands that cannot be undone ask on a terminal, and nowhere else. */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { COMMANDS } from "../../src/cli/catalog/catalog.ts";
import { nameOf } from "../../src/cli/usage.ts";
import { quarantining } from "../spool/port/conformance/quarantine.ts";
import { edit, fillSpool, MAKE_UNKNOWN, openSpool } from "../support/damaged-spool.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A terminal at which a person answers, and the questions asked. */
function person(answer: string) {
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    questions.push(question);
    return answer;
  };
  return { terminal: { ask }, questions };
}

interface Case {
  env: Record<string, string>;
  args: string[];
}

const cli = async (env: Record<string, string>, ...args: string[]) => {
  const outcome = await runCli([...args, "--json"], env);
  assert.equal(outcome.code, 0, outcome.stderr);
  return JSON.parse(outcome.stdout);
};

function freshEnv(t: TestContext): Record<string, string> {
  const dir = tempDir(t);
  return { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs`, SENDING_IPS: "192.0.2.1", DNS_SERVERS: "127.0.0.1:1" };
}

async function heldKey(t: TestContext): Promise<{ env: Record<string, string>; id: string }> {
  const env = freshEnv(t);
  await runCli(["keys", "create", "--name", "web"], env);
  const [{ id }] = await cli(env, "keys", "list");
  const insert = "INSERT INTO key_fuses (key_id, account_id, is_off, held_at_ms) VALUES (?, 'acc_default', 0, 1)";
  edit(env.DATA_DIR ?? "", (db) => db.prepare(insert).run(id));
  return { env, id };
}

/** How each command comes to its question. */
const CASES: Record<string, (t: TestContext) => Promise<Case>> = {
  async "domains remove"(t) {
    const env = freshEnv(t);
    await runCli(["domains", "add", "shop.example"], env);
    return { env, args: ["domains", "remove", "shop.example"] };
  },
  async "keys revoke"(t) {
    const env = freshEnv(t);
    await runCli(["keys", "create", "--name", "web"], env);
    const [{ id }] = await cli(env, "keys", "list");
    return { env, args: ["keys", "revoke", id] };
  },
  async "keys release"(t) {
    const { env, id } = await heldKey(t);
    await runCli(["keys", "revoke", id, "--yes"], env);
    return { env, args: ["keys", "release", id] };
  },
  async "keys cancel-held"(t) {
    const { env, id } = await heldKey(t);
    return { env, args: ["keys", "cancel-held", id] };
  },
  async "users remove"(t) {
    const env = freshEnv(t);
    const create = ["users", "create", "ann@shop.example", "--password-stdin"];
    assert.equal((await runCli(create, env, "a long enough password")).code, 0);
    return { env, args: ["users", "remove", "ann@shop.example"] };
  },
  async "accounts delete"(t) {
    const env = freshEnv(t);
    await runCli(["accounts", "create", "blue"], env);
    return { env, args: ["accounts", "delete", "blue"] };
  },
  "webhooks remove": endpoint,
  async "webhooks rotate"(t) {
    const { env, args } = await endpoint(t);
    const rotate = ["webhooks", "rotate", args[2] ?? ""];
    await cli(env, ...rotate);
    return { env, args: rotate };
  },
  "queue retry": (t) => withRecipient(t, "unknown", (id) => ["queue", "retry", id]),
  "queue resolve": (t) => withRecipient(t, "unknown", (id) => ["queue", "resolve", id, "--as", "failed"]),
  "queue cancel": (t) => withRecipient(t, "pending", (id) => ["queue", "cancel", id]),
  async "queue discard"(t) {
    const { env, args } = await withRecipient(t, "pending", (id) => ["queue", "discard", id]);
    edit(env.DATA_DIR ?? "", (db) => {
      for (const sql of quarantining("?")) db.prepare(sql).run(...new Array(sql.split("?").length - 1).fill(args[2]));
    });
    return { env, args };
  },
  "queue resume": async (t) => {
    const { env, file } = await backedUp(t);
    assert.equal((await runCli(["restore", file], env)).code, 0);
    return { env, args: ["queue", "resume", "--send"] };
  },
  async restore(t) {
    const { env, file } = await backedUp(t);
    return { env, args: ["restore", file] };
  },
  async "master-key rotate"(t) {
    const env = freshEnv(t);
    await runCli(["domains", "add", "shop.example"], env);
    return { env, args: ["master-key", "rotate"] };
  },
  async "master-key new"(t) {
    const env = freshEnv(t);
    await runCli(["domains", "add", "shop.example"], env);
    rmSync(`${env.CERTS_DIR}/master.key`);
    return { env, args: ["master-key", "new"] };
  },
};

/** A command on the message of a recipient in this state. */
async function withRecipient(t: TestContext, state: string, argsFor: (id: string) => string[]): Promise<Case> {
  const env = freshEnv(t);
  await runCli(["accounts", "create", "blue"], env);
  const spool = await openSpool(env.DATA_DIR ?? "");
  const [id = ""] = await fillSpool(spool, { count: 1 });
  await spool.close();
  if (state === "unknown") {
    edit(env.DATA_DIR ?? "", (db) => {
      db.exec(MAKE_UNKNOWN);
    });
  }
  return { env, args: argsFor(id) };
}

async function endpoint(t: TestContext): Promise<Case> {
  const env = freshEnv(t);
  await runCli(["keys", "create", "--name", "web"], env);
  const { id } = await cli(env, "webhooks", "create", "https://hooks.example/");
  return { env, args: ["webhooks", "remove", id] };
}

/** A backup of another installation. */
async function backedUp(t: TestContext) {
  const before = freshEnv(t);
  await runCli(["domains", "add", "shop.example"], before);
  const file = `${tempDir(t)}/backup.tar`;
  await cli(before, "backup", file);
  return { env: freshEnv(t), file };
}

describe("a command that cannot be undone", { timeout: 120_000 }, () => {
  const irreversible = COMMANDS.filter((command) => command.irreversible !== undefined);

  for (const command of irreversible) {
    const name = nameOf(command);
    it(`${name} asks first, does nothing after a no, and asks nothing with --yes`, async (t) => {
      const start = CASES[name];
      assert.ok(start !== undefined, `how does ${name} come to its question?`);
      const { env, args } = await start(t);
      const no = person("");
      const refused = await runCli(args, env, "", no.terminal);
      assert.deepEqual(refused, { code: 1, stdout: "", stderr: "postrider: cancelled: nothing was changed\n" });
      assert.match(no.questions.join("\n"), /^[A-Z][^\n]*[?.] (\[y\/N\]|To confirm, type \w+:) $/);
      const sure = person("");
      const { code, stderr } = await runCli([...args, "--yes"], env, "", sure.terminal);
      assert.deepEqual([code, sure.questions], [0, []], stderr);
    });
  }

  it("goes on after a yes, and without a terminal", async (t) => {
    const { env, args } = await (CASES["keys revoke"] as (t: TestContext) => Promise<Case>)(t);
    const yes = person(" Yes ");
    assert.equal((await runCli(args, env, "", yes.terminal)).code, 0);
    assert.equal(yes.questions.length, 1);
    await cli(env, "domains", "add", "shop.example");
    assert.equal((await runCli(["domains", "remove", "shop.example"], env)).code, 0);
  });

  it("asks nothing about what does not exist", async (t) => {
    const { env } = await (CASES["keys revoke"] as (t: TestContext) => Promise<Case>)(t);
    const { terminal, questions } = person("y");
    for (const args of [
      ["domains", "remove", "other.example"],
      ["keys", "revoke", "key_none"],
      ["users", "remove", "eve@e.example"],
      ["webhooks", "remove", "none"],
    ]) {
      assert.equal((await runCli(args, env, "", terminal)).code, 1);
    }
    assert.deepEqual(questions, []);
    assert.ok(existsSync(env.DATA_DIR ?? ""));
  });
});
