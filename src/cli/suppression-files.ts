/** Commands that read suppressed addresses from a file, and print them as one. */
import { type ImportResult, importSuppressions } from "../app/suppressions/add-suppressions.ts";
import { type ExportFormat, exportSuppressions } from "../app/suppressions/export-suppressions.ts";
import { type Implementation, Refusal } from "./command.ts";
import { countsText, filterOf, givenSuppression } from "./suppressions.ts";

export const importSuppressionsCommand: Implementation = {
  async run(context, { options }) {
    const { store, account, nowMs, input } = context;
    const isDryRun = options["dry-run"] === true;
    const given = givenSuppression(options, nowMs);
    const request = { accountId: account.id, nowMs, isDryRun, ...given };
    const result = await importSuppressions(store, input, request);
    if (result.format === null && result.stopped !== null) throw new Refusal(`nothing was added: ${result.stopped}`);
    const { stopped } = result;
    const failure = stopped === null ? {} : { failure: `the rest of the file was not read: ${stopped}` };
    return { json: jsonOf(result, isDryRun), text: textOf(result, isDryRun), ...failure };
  },
};

function jsonOf({ faults, ...result }: ImportResult, isDryRun: boolean) {
  return { ...result, dry_run: isDryRun, faults: faults.map(({ at, ...fault }) => ({ line: at, ...fault })) };
}

function textOf(result: ImportResult, isDryRun: boolean): string {
  const { format, causes, invalid, faults } = result;
  const byCause = Object.entries(causes).map(([cause, count]) => `${cause} ${count}`);
  const valid = byCause.length === 0 ? "no valid addresses" : byCause.join(", ");
  const more = invalid > faults.length ? [`  and ${invalid - faults.length} more`] : [];
  return [
    `Form: ${format ?? "empty"}`,
    `Read: ${valid}, invalid ${invalid}`,
    isDryRun ? "Nothing was added (--dry-run)." : `Done: ${countsText(result)}`,
    ...faults.map(({ at, email, detail }) => `  line ${at}: ${email}: ${detail}`),
    ...more,
  ].join("\n");
}

export const exportSuppressionsCommand: Implementation = {
  async run(context, { options }) {
    const format = (options.format ?? (options.json === true ? "ndjson" : "csv")) as ExportFormat;
    const stopped = context.untilStopped();
    for await (const part of exportSuppressions(context.store, { ...filterOf(context, options), format })) {
      if (stopped.aborted) break;
      await context.writeOut(part);
    }
    return null;
  },
};
