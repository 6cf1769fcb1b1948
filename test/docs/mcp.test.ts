/** docs/MANAGEMENT.md against the tools: it lists each with the permission that it needs, and those that write apart. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TOOLS } from "../../src/mcp/serve.ts";
import { CHECKOUT } from "../support/program.ts";

test("it lists every tool with its permission, and no other", () => {
  const page = readFileSync(join(CHECKOUT, "docs/MANAGEMENT.md"), "utf8");
  const [reading = "", writing = ""] = page.split("\n### Allow changes\n");
  const listed = (part: string): string[] =>
    [...part.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| .* \| (.*) \|$/gm)].flatMap(([, names = "", needs]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}: ${needs}`),
    );
  const offered = (writes: boolean): string[] =>
    TOOLS.filter((tool) => (tool.writes ?? false) === writes).map(({ name, needs }) => `${name}: ${needs}`);
  const bare = (texts: string[]): string[] => texts.map((text) => text.replace("; or, for", "; for")).toSorted();
  assert.deepEqual(listed(reading).toSorted(), bare(offered(false)));
  assert.deepEqual(listed(writing).toSorted(), bare(offered(true)));
});
