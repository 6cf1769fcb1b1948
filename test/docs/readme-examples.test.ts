/**
 * The examples of README and of the pages for users, as written: README's commands set up a domain and a key, the curl
 * lines and the programs send with them. Only the service's address, the key and a message's id are replaced.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { recordsToPublish } from "../../src/domains/records.ts";
import { withoutCurl } from "../support/curl.ts";
import { programArgs } from "../support/program.ts";
import { type CliOutcome, runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGES = ["README.md", "docs/API.md", "docs/STATES.md", "docs/SUPPRESSION.md", "docs/COMMAND-LINE.md"];
const SET_UP = "First send";
const BASE_URL = "http://localhost:8080";
const EXAMPLE_ID = "msg_-P6wKPyqgKf3C6ekSH_skV7I";
const PASSWORD = "correct horse battery";

interface Block {
  section: string;
  language: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  const markdown = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  return markdown.split(/^## /m).flatMap((part) => {
    const section = part.split("\n")[0] ?? "";
    const fences = part.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
    return [...fences].map(([, language = "", text = ""]) => ({ section, language, text }));
  });
}

const BLOCKS = PAGES.flatMap(blocksOf);

/** The words of each `postrider` command in a section, and the file that it reads. */
function commandsIn(section: string): { words: string[]; input: string | null }[] {
  const lines = BLOCKS.filter((block) => block.section === section).flatMap(({ text }) => text.split("\n"));
  const commands = lines.flatMap((line) => /^npm run -s cli -- (.+?)(?:\s+#.*)?$/.exec(line)?.[1] ?? []);
  return commands.map((command) => {
    const [words = "", input = null] = command.split(" < ");
    return { words: words.split(/\s+/), input };
  });
}

/** Its recipients have a mail exchanger, and the archive at the sender's own domain. */
function giveMailHosts({ zone }: World): void {
  for (const domain of ["your-provider.example", "customers.example"])
    zone.set(domain, "MX", ["10 mx.customers.example"]);
}

/** Runs the commands of README's "First send", publishing the records when they are known; returns the key. */
async function setUp(world: World): Promise<string> {
  const outcomes = new Map<string, CliOutcome>();
  for (const { words } of commandsIn(SET_UP)) {
    const outcome = await runCli(words, world.env);
    outcomes.set(words.slice(0, 2).join(" "), outcome);
    if (words[0] === "domains" && words[1] === "add") await publish(world, words[2] ?? "");
    // README does not say what the doctor finds on loopback.
    assert.ok(outcome.code === 0 || words[0] === "doctor", `${words.join(" ")}: ${outcome.stderr}`);
    assert.notEqual(outcome.code, 2, outcome.stderr);
  }
  assert.deepEqual([...outcomes.keys()], ["doctor", "domains add", "domains verify", "keys create"]);
  const [key] = /svc_live_[\w-]+/.exec(outcomes.get("keys create")?.stdout ?? "") ?? assert.fail("no key was shown");
  return key;
}

async function publish({ service, zone, resolver }: World, name: string): Promise<void> {
  const account = await service.registry.accountNamed("default");
  const domain = await service.registry.domainNamed(account?.id ?? "", name);
  assert.ok(domain, name);
  const context = { resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"] };
  for (const record of recordsToPublish(domain, context)) zone.set(record.name, record.type, [record.value]);
}

interface Shell {
  world: World;
  key: string;
  dir: string;
  /** Of the message that was sent last. */
  lastId: string;
}

/** Runs an example where the files lie that it reads. */
async function run(shell: Shell, program: string, args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", KEY: shell.key };
  const { stdout } = await promisify(execFile)(program, args, { cwd: shell.dir, env, timeout: 20_000 });
  shell.lastId = /msg_[\w-]{24}/.exec(stdout)?.[0] ?? shell.lastId;
  return stdout;
}

const replaced = (text: string, { world, lastId }: Shell): string =>
  text.replaceAll(BASE_URL, world.service.url).replaceAll(EXAMPLE_ID, lastId);

async function delivered({ world, key, lastId }: Shell): Promise<void> {
  const answer = await world.lookUp(lastId, "?wait=20", key);
  const { recipients } = (await answer.json()) as { recipients: { email: string; result: string; reason: string }[] };
  for (const { email, result, reason } of recipients) assert.equal(result, "delivered", `${email}: ${reason}`);
}

async function shellOf(t: TestContext): Promise<Shell> {
  const world = await startWorld(t);
  giveMailHosts(world);
  const dir = tempDir(t);
  for (const name of ["invoice.pdf", "logo.png"]) writeFileSync(join(dir, name), name);
  const key = await setUp(world);
  // The MX that README advises for a domain is this server; the archive at it is taken by the sink.
  world.zone.set("example.com", "MX", ["10 mx.customers.example"]);
  return { world, key, dir, lastId: "" };
}

/** One curl line; where the page shows the response, it must match. */
async function curl(shell: Shell, { text }: Block, shown: string): Promise<void> {
  const said = await run(shell, "bash", [
    "-c",
    `set -eo pipefail; ${replaced(text, shell).replace("curl ", "curl -sS ")}`,
  ]);
  const body = said.split("\r\n").at(-1) ?? "";
  if (shown.startsWith("HTTP/")) {
    const [status, example] = shown.trim().split("\n");
    assert.deepEqual([said.split("\r\n")[0], body], [status, example?.replace(EXAMPLE_ID, shell.lastId)]);
  }
  if (text.includes("/api/sending/send")) {
    assert.match(body, /^\{"id":"msg_[\w-]{24}","state":"accepted"\}$/);
    return delivered(shell);
  }
  const { status } = JSON.parse(body) as { status?: number };
  assert.equal(status, undefined, body);
}

test("the commands, the curl lines and the programs of README and its pages do what they say", {
  timeout: 180_000,
}, async (t) => {
  const shell = await shellOf(t);
  const curls = BLOCKS.filter(({ text }) => text.startsWith("curl ") && text.includes(BASE_URL));
  // The program that follows the feed has a test of its own.
  const programs = BLOCKS.filter(({ language, text }) => language === "js" && text.includes("/api/sending/send"));
  assert.ok(curls.length >= 4 && programs.length >= 1, `${curls.length} curl lines, ${programs.length} programs`);
  const skip = withoutCurl();
  for (const block of curls) {
    const shown = BLOCKS[BLOCKS.indexOf(block) + 1]?.text ?? "";
    await t.test(block.text.split("\n")[0] ?? "", { skip }, () => curl(shell, block, shown));
  }
  for (const { text } of programs) {
    await t.test("a program", async () => {
      writeFileSync(join(shell.dir, "example.mjs"), replaced(text, shell));
      assert.match(await run(shell, process.execPath, ["example.mjs"]), /^msg_[\w-]{24}\n$/);
      await delivered(shell);
    });
  }
  await t.test("the other commands", () => otherCommands(shell.world));
});

test("README's first message of your own is sent by its block as written: with a test key, without DNS", {
  skip: withoutCurl(),
  timeout: 120_000,
}, async (t) => {
  const world = await startWorld(t);
  const block = BLOCKS.find(({ section, text }) => section === "Try it" && text.includes("--test"));
  assert.ok(block);
  // The service runs already, where shop.example is bound and verified.
  const text = block.text.replaceAll(BASE_URL, world.service.url).replaceAll("shop.example", "own.example");
  const dir = tempDir(t);
  const args = programArgs("src/cli.ts").map((word) => `'${word}'`);
  const npm = `#!/bin/sh\n[ "$1" = start ] && exit 0\nshift 4\nexec '${process.execPath}' ${args.join(" ")} "$@"\n`;
  writeFileSync(join(dir, "npm"), npm, { mode: 0o755 });
  const env = { ...world.env, PATH: `${dir}:${process.env.PATH}` };
  const options = { cwd: dir, env, timeout: 60_000 };
  const { stdout } = await promisify(execFile)("bash", ["-eo", "pipefail", "-c", text], options);
  const [, id = ""] = /^\{"id":"(msg_[\w-]{24})","state":"accepted"\}/.exec(stdout) ?? assert.fail(stdout);
  assert.ok(stdout.includes(id) && stdout.includes("delivered@customer.example and 1 other"), stdout);
  const account = await world.service.registry.accountNamed("default");
  const domain = await world.service.registry.domainNamed(account?.id ?? "", "own.example");
  assert.equal(domain?.verified, false);
  assert.equal(world.sink.entries.length, 0, "nothing has left the service");
});

/** Those that are refused here for want of a second factor or a refused address. */
const OF_NOBODY = ["suppressions remove", "users reset-second-factor"];

async function otherCommands({ env }: World): Promise<void> {
  const user = ["users", "create", "ann@example.com", "--account", "default", "--password-stdin"];
  assert.equal((await runCli(user, env, `${PASSWORD}\n`)).code, 0);
  const commands = ["List and remove", "Users who cannot sign in", "Webhooks", "Send failed messages again"].flatMap(
    commandsIn,
  );
  assert.ok(commands.length >= 5);
  for (const { words, input } of commands) {
    const { code, stderr } = await runCli(words, env, input === null ? "" : `${PASSWORD} 2\n`);
    const mayBeRefused = OF_NOBODY.includes(words.slice(0, 2).join(" "));
    assert.ok(code === 0 || (mayBeRefused && code === 1), `${words.join(" ")}: ${stderr}`);
  }
}
