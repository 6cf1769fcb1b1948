/**
 * Each regular expression of src/ is measured with hostile texts, as the parsers are (test/fuzz/linear-time.test.ts): one that is
 * quadratic must be made linear. None is excepted: a bound of its input may be forgotten when either changes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expressionsOf } from "../../lint/expressions.ts";
import { excessiveGrowth } from "../fuzz/cpu-growth.ts";
import { repeated, UNITS } from "../fuzz/hostile-texts.ts";
import { composedExpressions, withoutExtension } from "./composed-expressions.ts";

/** The literal runs of an expression, which hostile texts repeat, and the one that it begins with. */
function partsOf({ source }: RegExp): { runs: string[]; start: string } {
  const plain = source.replace(/\\[a-zA-Z]/g, " ").replace(/\\(.)/g, "$1");
  const runs = plain.match(/[^[\](){}.*+?|^$\s\\]{2,}/g) ?? [];
  // A run may be the beginning of a tag.
  return {
    runs: runs.slice(0, 6).flatMap((run) => (run.startsWith("<") ? [run, `${run}>`] : [run])),
    start: /^\^?([\w=:; <"@/-]+)/.exec(source)?.[1] ?? "",
  };
}

const LENGTH = 8192;

/** Returns what was measured; null for an expression that is linear on all texts. */
async function growthOf(regex: RegExp): Promise<string | null> {
  const { runs, start } = partsOf(regex);
  const search = (text: string): unknown => (regex.global ? text.replace(regex, "") : regex.test(text));
  for (const before of new Set(["", start])) {
    for (const unit of [...UNITS, ...runs]) {
      const growth = await excessiveGrowth(search, (length) => before + repeated(unit, length), LENGTH);
      if (growth !== null) return `${JSON.stringify(before)} and ${JSON.stringify(unit)}: ${growth}`;
    }
  }
  return null;
}

/** What else runs can hide a growth, so several measurements look for one that is expected. */
async function growthOnBusyMachine(regex: RegExp): Promise<string | null> {
  for (let tries = 0; tries < 5; tries += 1) {
    const growth = await growthOf(regex);
    if (growth !== null) return growth;
  }
  return null;
}

interface Measured {
  file: string;
  text: string;
  regex: RegExp;
}

/** Those that are written in the text, and those that the modules make of parts. */
function allExpressions(): Measured[] {
  const found = expressionsOf();
  const sites = found.filter(({ regex }) => regex === null);
  const composed = composedExpressions([...new Set(sites.map(({ file }) => file))]);
  for (const { file, text } of sites) {
    const count = (of: { file: string }[]): number =>
      of.filter((each) => withoutExtension(each.file) === withoutExtension(file)).length;
    assert.ok(count(composed) >= count(sites), `${file} makes ${text} later than it is loaded: make it a constant`);
  }
  return [
    ...found.flatMap(({ regex, ...rest }) => (regex === null ? [] : { ...rest, regex })),
    ...composed.map(({ file, regex }) => ({ file, text: String(regex), regex })),
  ];
}

test("each expression of src/ is linear, also those that modules put together of parts", async () => {
  const expressions = allExpressions();
  assert.ok(expressions.length > 700, `${expressions.length} expressions`);
  const found: string[] = [];
  const measured = new Map<string, string | null>();
  for (const { file, text, regex } of expressions) {
    if (!measured.has(text)) measured.set(text, await growthOf(regex));
    const growth = measured.get(text) ?? null;
    if (growth !== null) found.push(`${file}: ${text} with ${growth}`);
  }
  assert.deepEqual(found, []);
});

test("a quadratic expression is found, by stars side by side and by a search that starts anew", async () => {
  for (const regex of [/^["'\s]*(v\s*)?["']*dmarc/, /\/+$/, /“([^”]*)”/g, /%\{[^}]*\}$/]) {
    assert.match((await growthOnBusyMachine(regex)) ?? "", /ms at/, String(regex));
  }
  assert.equal(await growthOf(/^["'\s]*(v\s*["']*)?dmarc/), null);
});
