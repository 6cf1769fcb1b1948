/** `doctor`: what stops or hurts delivery from this server, as a table. The checks are in doctor/. */
import { hostFindings, type KnownSpool, knownSpool } from "../app/installation/host-findings.ts";
import type { Config } from "../config.ts";
import type { Finding } from "../doctor/checks.ts";
import { withDocumentAddresses } from "../lib/document-address.ts";
import { trimEndOf } from "../lib/trim-end.ts";
import { type CommandResult, type Implementation, type ParsedArguments, pluralize } from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

const WORD_LENGTH_MAX = 60;
const QUOTE_LENGTH_MAX = 60;

/** A setting, a path or a URL: half of it is of no use. */
const LOCATION = /^(?:[A-Z_]+=|\/|[a-z]+:\/\/)/;

async function runDoctor(config: Config, spool: KnownSpool, { options }: ParsedArguments): Promise<CommandResult> {
  const publicUrl = config.isPublicUrlSet ? config.publicUrl : null;
  const findings = (await hostFindings(config, spool)).map((finding) => {
    return { ...finding, detail: withDocumentAddresses(finding.detail, publicUrl) };
  });
  const problems = findings.filter(({ state }) => state === "problem").map(({ check }) => check);
  const result = { json: findings, text: findingsTable(findings) };
  if (options.check !== true || problems.length === 0) return result;
  return { ...result, failure: `${pluralize(problems.length, "problem")} found: ${problems.join(", ")}` };
}

/** One line for each finding. Published records and keys are shortened; `--json` has them whole. */
export function findingsTable(findings: Finding[]): string {
  const rows = findings.map(({ check, state, detail }) => [resultCell(state), check, shorten(detail)]);
  return table(["STATE", "CHECK", "DETAIL"], rows, "No checks ran.");
}

function shorten(detail: string): string {
  const quotes = detail.replace(/“([^“”]*)”/g, (_, quoted: string) => `“${cut(quoted, QUOTE_LENGTH_MAX)}”`);
  return quotes.replace(/\S+/g, (word) => (LOCATION.test(word) ? word : cutWord(word)));
}

function cutWord(word: string): string {
  const bare = trimEndOf(word, ".,:;");
  return `${cut(bare, WORD_LENGTH_MAX)}${word.slice(bare.length)}`;
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

export const doctor: Implementation = {
  run: async ({ config, installation, store, account }, args) =>
    runDoctor(config, await knownSpool({ installation, store, account }), args),
  runWithoutSpool: ({ config, installation: { spool } }, args) =>
    runDoctor(config, { location: spool.location, domains: null }, args),
  runWithBrokenSpool: ({ config, installation: { spool } }, spoolFault, args) =>
    runDoctor(config, { location: spool.location, domains: null, spoolFault }, args),
};
