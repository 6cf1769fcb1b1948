/** The text of the help: every command with its arguments and a summary. */

import { fullUsage } from "./arguments.ts";
import type { Command } from "./command.ts";

const HEAD = `usage: postrider NOUN VERB … [--account NAME] [--json]
In a checkout: npm run -s cli -- NOUN VERB …`;

const FOOT = `Options may stand anywhere:
  --account NAME  the account to work on; "default" unless given
  --json          print one JSON document and nothing else

Commands work on the spool in DATA_DIR or DATABASE_URL, also while the service runs.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

/** A longer usage has its summary on the next line. */
const COLUMN_MAX = 48;

/** The lines for one noun, or for all. */
export function helpText(commands: readonly Command[], noun: string | null): string {
  const shown = commands.filter(({ usage }) => noun === null || usage.split(" ")[0] === noun);
  const usages = shown.map(fullUsage);
  const width = Math.max(0, ...usages.map(({ length }) => length).filter((length) => length <= COLUMN_MAX));
  const lines = shown.map(({ summary }, i) => {
    const usage = usages[i] ?? "";
    const gap = usage.length > COLUMN_MAX ? `\n${" ".repeat(width + 2)}` : " ".repeat(width - usage.length);
    return `  ${usage}${gap}  ${summary}`;
  });
  return [HEAD, "", ...lines, "", FOOT].join("\n");
}
