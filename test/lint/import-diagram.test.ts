/** The diagram in the documentation matches the code. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readImports } from "../../lint/check-imports.ts";
import { importDiagram } from "../../lint/import-diagram.ts";
import { CHECKOUT } from "../support/program.ts";

test("docs/ARCHITECTURE.md shows the present imports (print them with: node --import tsx lint/import-diagram.ts)", () => {
  const text = readFileSync(join(CHECKOUT, "docs/ARCHITECTURE.md"), "utf8");
  const diagrams = [...text.matchAll(/```mermaid\n(flowchart TD\n[\s\S]*?)\n```/g)].map(([, diagram]) => diagram);
  assert.deepEqual(diagrams, [importDiagram(readImports(join(CHECKOUT, "src")))]);
});

test("omits arrows that follow from others and imports within a group", () => {
  const graph = new Map([
    ["http/api.ts", ["http/drafts/limits.ts", "app/accept.ts", "lib/clock.ts"]],
    ["http/drafts/limits.ts", ["lib/clock.ts"]],
    ["app/accept.ts", ["spool/port/mail.ts", "lib/clock.ts"]],
    ["spool/port/mail.ts", ["lib/clock.ts", "koa"]],
    ["lib/clock.ts", ["node:timers"]],
  ]);
  assert.equal(
    importDiagram(graph),
    [
      "flowchart TD",
      '  app["app"]',
      '  http["http"]',
      '  lib["lib"]',
      '  spool-port["spool/port"]',
      "  app --> spool-port",
      "  http --> app",
      "  spool-port --> lib",
    ].join("\n"),
  );
});
