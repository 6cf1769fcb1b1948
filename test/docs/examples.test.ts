/**
 * The programs of docs/SENDING.md in each language, as they stand: each sends its message, by SMTP and by HTTP, sends it once however often it is run,
 * and fails with a key that is not valid. Replaced are the service's address and ports, and the recipient.
 */
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  buildGo,
  type ClientDirectory,
  clientDirectory,
  JAVA_CLASS_PATH,
  missingClients,
  prepareJava,
} from "../support/debian-clients.ts";
import { type Ended, runCommand } from "../support/debian-peers.ts";
import { CHECKOUT } from "../support/program.ts";
import {
  accepted,
  arrived,
  RECIPIENT,
  SUBMISSION_HOST,
  type SubmissionSite,
  startSubmissionSite,
} from "../support/submission-site.ts";
import { tempDir } from "../support/temp-dir.ts";
import { codeBlocks } from "./markdown.ts";

const skip = missingClients(["languages"]);

const DOCUMENT = readFileSync(new URL("../../docs/SENDING.md", import.meta.url), "utf8");
const [, SECTION = ""] = /\n## Programs in your language\n([\s\S]*?)\n## /.exec(DOCUMENT) ?? [];
const BLOCKS = codeBlocks(SECTION);
const SUBJECT = "Your order is on its way ✓";

interface Language {
  /** The heading. */
  name: string;
  /** As the blocks are marked. */
  fence: string;
  file: string;
  command: readonly string[];
  /** What precedes the first run. Resolves with the reason if a program is missing. */
  prepare?: (directory: ClientDirectory, file: string) => Promise<string | false>;
}

const LANGUAGES: readonly Language[] = [
  { name: "PHP", fence: "php", file: "example.php", command: ["php", "example.php"] },
  { name: "Python", fence: "python", file: "example.py", command: ["python3", "example.py"] },
  { name: "Ruby", fence: "ruby", file: "example.rb", command: ["ruby", "example.rb"] },
  { name: "Go", fence: "go", file: "example.go", command: ["./program"], prepare: buildGo },
  {
    name: "Java",
    fence: "java",
    file: "Send.java",
    command: ["java", "-cp", JAVA_CLASS_PATH, "Send"],
    prepare: prepareJava,
  },
  { name: "Shell", fence: "sh", file: "example.sh", command: ["sh", "example.sh"] },
];

/** Both programs of a language: by SMTP, then by HTTP. */
function programsOf({ name, fence }: Pick<Language, "name" | "fence">): { smtp: string; http: string } {
  const blocks = BLOCKS.filter(({ heading }) => heading === name);
  assert.deepEqual(
    blocks.map(({ language }) => language),
    [fence, fence],
  );
  const [smtp = "", http = ""] = blocks.map(({ text }) => text);
  assert.ok(smtp.includes(SUBMISSION_HOST) && http.includes("http://localhost:8080"), name);
  return { smtp, http };
}

type Run = (key: string) => Promise<Ended>;

/** Resolves with the reason if a program is missing. */
async function inDebian(
  t: TestContext,
  { authority }: SubmissionSite,
  { language: { file, command, prepare }, source }: { language: Language; source: string },
): Promise<Run | string> {
  const directory = clientDirectory(t, { "ca.crt": authority, [file]: source });
  const missing = await prepare?.(directory, file);
  return missing || ((key) => directory.run(command, { env: { KEY: key } }));
}

/** On the Node that runs the tests. */
function onNode(t: TestContext, { authority }: SubmissionSite, source: string): Run {
  const dir = tempDir(t);
  symlinkSync(join(CHECKOUT, "node_modules"), join(dir, "node_modules"));
  writeFileSync(join(dir, "ca.crt"), authority);
  writeFileSync(join(dir, "example.mjs"), source);
  const command = [process.execPath, join(dir, "example.mjs")];
  return (key) => runCommand(command, { env: { KEY: key, NODE_EXTRA_CA_CERTS: join(dir, "ca.crt") } });
}

const UNKNOWN_KEY = `svc_live_${"x".repeat(43)}`;

/** Runs a program three times: once with a key that is not valid, and twice with one that is. */
async function sendsOnce(site: SubmissionSite, run: Run, refusal: RegExp): Promise<void> {
  const earlier = await accepted(site, SUBJECT);
  const refused = await run(UNKNOWN_KEY);
  assert.notEqual(refused.code, 0, refused.output);
  assert.match(refused.output, refusal);
  for (const _ of ["first", "again"]) {
    const { code, output } = await run(site.world.key);
    assert.equal(code, 0, output);
  }
  const [id = "", ...others] = await accepted(site, SUBJECT);
  assert.deepEqual(others, earlier);
  const { entry, content } = await arrived(site, id);
  assert.deepEqual([entry.subject, entry.mail_from, entry.rcpt_to], [SUBJECT, "hello@example.com", [RECIPIENT]]);
  assert.match(content.toString(), /^It left this morning\.\r$/m);
}

test("each example sends once, by SMTP and by HTTP", { timeout: 300_000, skip }, async (t) => {
  const site = await startSubmissionSite(t);
  const here = (source: string): string =>
    source
      .replace(/\b587\b/, String(site.port))
      .replaceAll("http://localhost:8080", site.world.service.url)
      .replaceAll("you@your-provider.example", RECIPIENT);
  for (const language of LANGUAGES) {
    await t.test(language.name, async (t) => {
      const { smtp, http } = programsOf(language);
      for (const [source, refusal] of [
        [smtp, /535|Could not authenticate|Login denied/],
        [http, /401|API key/],
      ] as const) {
        const run = await inDebian(t, site, { language, source: here(source) });
        if (typeof run === "string") return t.skip(run);
        await sendsOnce(site, run, refusal);
      }
    });
  }
  await t.test("JavaScript", async (t) => {
    // readme-examples.test.ts runs the one by HTTP, which is in docs/API.md.
    const [smtp = "", ...others] = BLOCKS.filter(({ language }) => language === "js").map(({ text }) => text);
    assert.deepEqual(others, []);
    // nodemailer resolves names by itself, differently on hosts with and without an outer network interface.
    const resolved = here(smtp).replace(
      `host: "${SUBMISSION_HOST}"`,
      `host: "127.0.0.1", tls: { servername: "${SUBMISSION_HOST}" }`,
    );
    await sendsOnce(site, onNode(t, site, resolved), /535/);
  });
});

test("every program of the page is run here", () => {
  const languages = BLOCKS.map(({ language }) => language);
  assert.deepEqual(new Set(languages), new Set(["js", ...LANGUAGES.map(({ fence }) => fence)]));
});
