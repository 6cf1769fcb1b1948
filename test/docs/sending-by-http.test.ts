/**
 * The programs of docs/SENDING.md that send by HTTP, as they stand: each sends again what can be repeated, and raises the rest. Replaced
 * are the service's address and the domains, which are those of the test.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { withoutProgram } from "../support/debian-program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";
import { codeBlocks } from "./markdown.ts";

const BLOCKS = codeBlocks(readFileSync(new URL("../../docs/SENDING.md", import.meta.url), "utf8"));
const BY_HTTP = BLOCKS.filter(({ text }) => text.includes("http://localhost:8080/") || text.includes("BASE_URL"));

interface Language {
  /** As the block is marked. */
  name: string;
  program: string;
  debianPackage: string;
  args: string[];
  file: string;
}

const LANGUAGES: Language[] = [
  { name: "sh", program: "curl", debianPackage: "curl", args: ["sh"], file: "example.sh" },
  { name: "python", program: "python3", debianPackage: "python3", args: ["python3"], file: "example.py" },
  { name: "php", program: "php", debianPackage: "php-cli", args: ["php"], file: "example.php" },
  { name: "go", program: "go", debianPackage: "golang-go", args: ["go", "run"], file: "example.go" },
  { name: "ruby", program: "ruby", debianPackage: "ruby", args: ["ruby"], file: "example.rb" },
];

function sourceOf({ name }: Language): string {
  const [block, ...others] = BY_HTTP.filter(({ language }) => language === name);
  assert.ok(block !== undefined && others.length === 0, `one program in ${name}`);
  return block.text;
}

/** What happens to a POST: `busy` and `quota` are answered here, `lost` is accepted by the service and not answered. */
type Fault = "busy" | "quota" | "lost";

interface Proxy {
  url: string;
  posts: { key: string | undefined; body: string }[];
}

/** A reverse proxy whose first POSTs meet `faults`, one each. */
async function startProxy(t: TestContext, target: string, faults: Fault[]): Promise<Proxy> {
  const posts: Proxy["posts"] = [];
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const headers = Object.entries(req.headers).filter(([name]) => /^(authorization|content-type|idem)/.test(name));
    const isPost = req.method === "POST";
    const fault = isPost ? faults[posts.length] : undefined;
    if (isPost) posts.push({ key: req.headersDistinct["idempotency-key"]?.join(), body });
    if (fault === "busy" || fault === "quota") {
      const [status, retryAfter] = fault === "busy" ? [503, 1] : [429, 3600];
      res.writeHead(status, { "Content-Type": "application/problem+json", "Retry-After": retryAfter });
      res.end(JSON.stringify({ status, code: fault, detail: `It is ${fault}.`, retry_after: retryAfter }));
      return;
    }
    const init = { method: req.method ?? "GET", headers: Object.fromEntries(headers) as Record<string, string> };
    const answer = await fetch(target + req.url, isPost ? { ...init, body } : init);
    const text = await answer.text();
    if (fault === "lost") res.destroy();
    else res.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts };
}

interface Run {
  world: World;
  language: Language;
  dir: string;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a language's program against `url`, with a sender at `from`. */
function run(
  { world, language, dir }: Run,
  { url, from = SENDER_DOMAIN }: { url: string; from?: string },
): Promise<Ended> {
  const source = sourceOf(language)
    .replaceAll("http://localhost:8080", url)
    .replaceAll("hello@example.com", `hello@${from}`)
    .replaceAll("your-provider.example", RECIPIENT_DOMAIN);
  const file = join(dir, language.file);
  writeFileSync(file, source);
  const env = { PATH: process.env.PATH ?? "", KEY: world.key, HOME: dir, GOCACHE: join(dir, "go"), LC_ALL: "C.UTF-8" };
  const [program = "", ...args] = language.args;
  return new Promise((resolve) => {
    execFile(program, [...args, file], { env, timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, stdout, stderr });
    });
  });
}

async function refusedAtOnce(t: TestContext, parts: Run): Promise<void> {
  const { url, posts } = await startProxy(t, parts.world.service.url, []);
  const { code, stdout, stderr } = await run(parts, { url, from: "not-bound.example" });
  assert.deepEqual({ code, posts: posts.length }, { code: 1, posts: 1 }, stderr);
  // PHP writes what nobody catches to its standard output.
  assert.match(stdout + stderr, /403/);
}

async function longWaitRaised(t: TestContext, parts: Run): Promise<void> {
  const { url, posts } = await startProxy(t, parts.world.service.url, ["quota"]);
  const { code, stdout, stderr } = await run(parts, { url });
  assert.deepEqual({ code, posts: posts.length }, { code: 1, posts: 1 }, stderr);
  assert.match(stdout + stderr, /429/);
}

async function sentOnce(t: TestContext, parts: Run): Promise<void> {
  const { world, language } = parts;
  const { url, posts } = await startProxy(t, world.service.url, ["busy", "lost"]);
  const { code, stdout, stderr } = await run(parts, { url });
  assert.equal(code, 0, stdout + stderr);
  const [id = ""] = /^msg_[\w-]{24}$/m.exec(stdout) ?? [];
  // Python's also looks up the results.
  if (language.name === "python") assert.match(stdout, new RegExp(`you@${RECIPIENT_DOMAIN}\\W.*delivered`, "s"));
  const { recipients } = (await (await world.lookUp(id, "?wait=20")).json()) as { recipients: { result: string }[] };
  assert.deepEqual(
    recipients.map(({ result }) => result),
    ["delivered"],
  );
  assert.equal(posts.length, 3);
  assert.ok(posts[0]?.key);
  assert.deepEqual(posts, Array(3).fill(posts[0]));
  // The proxy lost the response to the second request: the third returns the id of the same message.
  const list = await fetch(`${world.service.url}/api/sending/messages?subject=${subjectIn(posts[0].body)}`, {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  const { messages } = (await list.json()) as { messages: { id: string }[] };
  assert.deepEqual(
    messages.map((message) => message.id),
    [id],
  );
}

const subjectIn = (body: string): string => encodeURIComponent((JSON.parse(body) as { subject: string }).subject);

// They mostly wait for a retry.
describe("the programs", { concurrency: true }, () => {
  for (const language of LANGUAGES) {
    test(`in ${language.name}: sends once whatever is lost, and raises what cannot be repeated`, {
      timeout: 600_000,
    }, async (t) => {
      const missing = withoutProgram(language.program, language.debianPackage);
      if (missing !== false) return t.skip(missing);
      const dir = tempDir(t);
      mkdirSync(join(dir, "go"));
      const parts = { world: await startWorld(t), language, dir };
      await refusedAtOnce(t, parts);
      await longWaitRaised(t, parts);
      await sentOnce(t, parts);
    });
  }
});

/** Has no loop: docs/examples.test.ts runs it. */
const ONCE = ["java"];

test("every program of the document is run here", () => {
  const marked = BY_HTTP.map(({ language }) => language).filter((language) => !ONCE.includes(language));
  assert.deepEqual(marked.toSorted(), LANGUAGES.map(({ name }) => name).toSorted());
});
