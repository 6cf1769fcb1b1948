/** The command that moves a spool from SQLite files to a database. */
import type { CopiedCount, CopyReport } from "../spool/port/spool-copy.ts";
import {
  type BareContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
} from "./command.ts";
import { table } from "./table.ts";

/** Places that cannot be read, in the text. All that are known are in the JSON. */
const PLACES_SHOWN = 20;

export const copySpoolFiles: Implementation = {
  neverOpensSpool: true,
  run: copyFiles,
  runWithoutSpool: copyFiles,
};

async function copyFiles({ installation }: BareContext, { options: { to } }: ParsedArguments): Promise<CommandResult> {
  return resultOf(await installation.copyFiles(String(to)));
}

function resultOf(report: CopyReport): CommandResult {
  const { counts, isComplete, durationMs, quarantined, unreadable, unreadableCount } = report;
  const json = {
    complete: isComplete,
    counts: counts.map(({ name, source: sqlite, target: postgresql, differs }) => {
      return { name, sqlite, postgresql, differs };
    }),
    quarantined,
    unreadable_count: unreadableCount,
    unreadable,
    duration_ms: durationMs,
  };
  const text = [countsTable(counts), "", ...notes(report)].join("\n");
  const failure = failureOf(report);
  return failure === null ? { json, text } : { json, text, failure };
}

/** Accounts have a line each only where they differ: there may be many. */
function countsTable(counts: readonly CopiedCount[]): string {
  const shown = counts.filter(({ name, differs }) => differs || !name.startsWith("events of "));
  const rows = shown.map(({ name, source, target, differs }) => [
    name.replaceAll("_", " "),
    source === null ? "unreadable" : String(source),
    String(target),
    differs ? "differs" : "",
  ]);
  return table(["", "SQLite", "PostgreSQL", ""], rows, "");
}

function notes({ isComplete, durationMs, quarantined, unreadable, unreadableCount }: CopyReport): string[] {
  const lines: string[] = [];
  if (unreadableCount > 0) {
    lines.push(`${pluralize(unreadableCount, "place")} of the SQLite files cannot be read:`);
    lines.push(...unreadable.slice(0, PLACES_SHOWN).map(({ place, error }) => `- ${place}: ${error}`));
    if (unreadableCount > PLACES_SHOWN) lines.push("- … (--json lists more)");
  }
  if (quarantined > 0) lines.push(`${pluralize(quarantined, "message")} in quarantine: see queue quarantined.`);
  if (!isComplete) return lines;
  return [
    ...lines,
    `Copied in ${Math.round(durationMs / 1000)} s. Set DATABASE_URL to the database, and start the service with the same master.key.`,
    "Sessions of the dashboard were not copied: users sign in again.",
    "Move DATA_DIR's spool away: a service that starts on it would send its waiting messages a second time.",
  ];
}

/** Null if everything was copied. */
function failureOf({ counts, isComplete, unreadableCount }: CopyReport): string | null {
  if (!isComplete) {
    const differing = counts.filter(({ differs }) => differs);
    const shown = differing.map(({ name, source, target }) => `${name} ${source} and ${target}`).join(", ");
    return `the counts differ (${shown}): the database stays marked as unfinished, and no service uses it`;
  }
  if (unreadableCount === 0) return null;
  return `the copy is complete except for ${pluralize(unreadableCount, "place")} of the files that cannot be read; the database can be used`;
}
