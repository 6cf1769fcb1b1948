/**
 * Loads modules of src/ in a process of its own, and records the regular expressions that they put together of parts, whose sources
 * are nowhere in the text. A module makes its expressions when it is loaded, or when one that has its texts is.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LOADER } from "../support/program.ts";

export interface Composed {
  /** Relative to the checkout, without its extension, which a compiled file has not. */
  file: string;
  regex: RegExp;
}

interface Recorded {
  file: string;
  source: string;
  flags: string;
}

const SRC = new URL("../../src/", import.meta.url);
const SELF = fileURLToPath(import.meta.url);
const OUTPUT_MAX = 64 * 1024 * 1024;

export const withoutExtension = (file: string): string => file.replace(/\.(?:tsx?|js)$/, "");

/** Of `files`, which are relative to the checkout, and of all modules of src/message/, which have texts for others. */
export function composedExpressions(files: readonly string[]): Composed[] {
  const args = [...LOADER, SELF, ...files.map(withoutExtension)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: OUTPUT_MAX });
  if (status !== 0) throw new Error(`the modules cannot be loaded: ${stderr}`);
  return (JSON.parse(stdout) as Recorded[]).map(({ file, source, flags }) => ({
    file,
    regex: new RegExp(source, flags),
  }));
}

async function record(files: readonly string[]): Promise<Recorded[]> {
  const found: Recorded[] = [];
  const plain = globalThis.RegExp;
  const made = (pattern: string | RegExp, flags?: string): RegExp => {
    const regex = new plain(pattern, flags);
    const file = callerOf(new Error("caller").stack ?? "");
    if (file !== null) found.push({ file, source: regex.source, flags: regex.flags });
    return regex;
  };
  globalThis.RegExp = new Proxy(plain, {
    construct: (_, [pattern, flags]) => made(pattern, flags),
    apply: (_, __, [pattern, flags]) => made(pattern, flags),
  });
  const loaded = SELF.endsWith(".js") ? ".js" : ".ts";
  for (const file of files) await import(new URL(`${file.slice("src/".length)}${loaded}`, SRC).href);
  return found;
}

/** The module whose code calls the constructor; null for one outside src/. */
function callerOf(stack: string): string | null {
  const [, , , line = ""] = stack.split("\n");
  const [, path] = line.split(fileURLToPath(SRC));
  return path === undefined ? null : withoutExtension(`src/${path.split(":")[0]}`);
}

function messageModules(): string[] {
  const names = readdirSync(new URL("message/", SRC), { recursive: true, encoding: "utf8" });
  const modules = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
  return modules.map((name) => `src/message/${withoutExtension(name)}`);
}

if (process.argv[1] === SELF)
  process.stdout.write(JSON.stringify(await record([...process.argv.slice(2), ...messageModules()])));
