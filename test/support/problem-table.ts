/**
 * `node --import tsx test/support/problem-table.ts`: writes the table of all codes into docs/ERRORS.md, from
 * src/http/response/problem-catalog.ts, which the page at /errors shows too. test/docs/errors.test.ts compares the two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProblemEntry, problemCatalog } from "../../src/http/response/problem-catalog.ts";
import { CHECKOUT } from "./program.ts";

const DOCUMENT = join(CHECKOUT, "docs/ERRORS.md");
const HEAD = "| status, code | cause | what to do | retry |\n|---|---|---|---|\n";
/** The table goes on to the next blank line. */
const TABLE = /(?<=\n## Errors of the API\n(?:(?!\n## )[\s\S])*?\n)\| status, code \|.*\n(?:\|.*\n)*/;

const inCell = (text: string): string => text.replaceAll("|", "\\|");
const rowOf = ({ status, code, meaning, action, retry }: ProblemEntry): string =>
  `| ${status} \`${code}\` | ${inCell(meaning)} | ${inCell(action)} | ${retry} |\n`;

/** The rows of the table, with its heading. */
export const problemTable = (): string => HEAD + problemCatalog().map(rowOf).join("");

/** The table that the document has; null if it has none. */
export const documentedTable = (): string | null => TABLE.exec(readFileSync(DOCUMENT, "utf8"))?.[0] ?? null;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, "utf8").replace(TABLE, () => problemTable()),
  );
}
