/** What the documents name exists: commands with their options, settings, types of events, and codes of problems. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACTIONS } from "../../src/app/audit/change.ts";
import { COMMANDS } from "../../src/cli/catalog/catalog.ts";
import { COMMON_OPTIONS, commandNamed, ownOptions, shapeOf } from "../../src/cli/usage.ts";
import { readConfig } from "../../src/config.ts";
import { EVENT_TYPES } from "../../src/spool/port/events.ts";
import { CHECKOUT } from "../support/program.ts";

interface Page {
  path: string;
  /** Code between backticks, and the lines of code blocks. */
  code: string[];
}

const PAGES: Page[] = ["README.md", ...readdirSync(join(CHECKOUT, "docs")).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith(".md"))
  .map((path) => {
    const text = readFileSync(join(CHECKOUT, path), "utf8");
    const blocks = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) => block.split("\n"));
    const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`\n]+)`/g)].map(
      ([, span = ""]) => span,
    );
    return { path, code: [...spans, ...blocks].map((each) => each.trim()) };
  });

/** Fails with what the pages name that is not there. `faultOf`: null for what is. */
function check(faultOf: (code: string) => string | null): void {
  const faults = PAGES.flatMap(({ path, code }) =>
    code.map(faultOf).flatMap((fault) => (fault === null ? [] : `${path}: ${fault}`)),
  );
  assert.deepEqual([...new Set(faults)], []);
}

const PROGRAM = /^(?:postrider|npm run -s cli --|npx postrider) ((?:--|[a-z]).*)$/;
/** Options of the program, not of a command. */
const ANY = ["--help", "--version", "--json", "--yes"];

function faultOfCommand(code: string): string | null {
  const [, line = ""] = PROGRAM.exec(code) ?? [];
  const words = line.split(/ (?:#|<|>|&&|\|) ?| [<|>] ?/)[0]?.split(/\s+/) ?? [];
  if (line === "" || words[0] === "help" || words[0]?.startsWith("--")) return null;
  const command = commandNamed(words, COMMANDS);
  if (command === null) return `no such command: ${code}`;
  const { name, positionals } = shapeOf(command);
  if (words.length > name.length && positionals.length === 0 && /^[a-z]+$/.test(words[name.length] ?? ""))
    return `no such command: ${code}`;
  const options = [...Object.keys(ownOptions(command)), ...Object.keys(COMMON_OPTIONS)].map((option) => `--${option}`);
  const unknown = words.find((word) => word.startsWith("--") && ![...options, ...ANY].includes(word));
  return unknown === undefined ? null : `no such option ${unknown}: ${code}`;
}

test("each command, with its options", () => {
  let count = 0;
  check((code) => {
    if (PROGRAM.test(code)) count += 1;
    return faultOfCommand(code);
  });
  assert.ok(count > 60, String(count));
});

/** Variables of other programs, of the clients and examples, and of the command line. */
const OTHERS =
  /^(?:POSTRIDER_|NODE_EXTRA_|MAIL_|MAILER_|RESEND_|POSTGRES_|MALLOC_|CURL_CA_|SSL_CERT_|WEBHOOK_SECRET$|NO_COLOR$|FORCE_COLOR$)/;

test("each setting", () => {
  const known = new Set<string>();
  readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void known.add(String(name)) }));
  check((code) => {
    const names = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+(?==|$)/.exec(code) ?? [];
    const unknown = names.find((name) => !known.has(name) && !OTHERS.test(name));
    return unknown === undefined ? null : `no such setting: ${unknown}`;
  });
});

test("each type of event", () => {
  const known = new Set<string>([...EVENT_TYPES, ...ACTIONS]);
  check((code) =>
    /^(?:message|recipient|domain)\.[a-z_]+$/.test(code) && !known.has(code) ? `no such event: ${code}` : null,
  );
});
