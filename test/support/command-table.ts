/**
 * `node --import tsx test/support/command-table.ts`: writes the table of all commands into docs/COMMAND-LINE.md, from their declarations in
 * src/cli/catalog/. test/docs/command-line.test.ts compares the two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../../src/cli/catalog/catalog.ts";
import { fullUsage } from "../../src/cli/usage.ts";
import { CHECKOUT } from "./program.ts";

const DOCUMENT = join(CHECKOUT, "docs/COMMAND-LINE.md");
const HEAD = "| command | does |\n|---|---|\n";
/** The table goes on to the next blank line. */
const TABLE = /(?<=\n## All commands\n(?:(?!\n## )[\s\S])*?\n)\| command \| does \|\n(?:\|.*\n)*/;

/** The rows of the table, with its heading. */
export function commandTable(): string {
  const rows = COMMANDS.map((command) => {
    // The sign says that it takes --yes.
    const usage = fullUsage(command).replace(" [--yes]", "").replaceAll("|", "\\|");
    return `| \`${usage}\` | ${command.summary}${command.irreversible === undefined ? "" : " ⚠"} |\n`;
  });
  return HEAD + rows.join("");
}

/** The table that the document has; null if it has none. */
export const documentedTable = (): string | null => TABLE.exec(readFileSync(DOCUMENT, "utf8"))?.[0] ?? null;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, "utf8").replace(TABLE, () => commandTable()),
  );
}
