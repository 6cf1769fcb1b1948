/** `doctor`: what stops or hurts delivery from this host, as a table. The checks are in doctor/. */
import { checkedAddresses, ownSendingIps } from "../app/domains/sending-addresses.ts";
import { absentAddresses, spoolExamination } from "../app/installation/spool-examination.ts";
import type { Config } from "../config.ts";
import { systemAddresses } from "../dns/own-addresses.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import { type DoctorInput, type Finding, runChecks } from "../doctor/checks.ts";
import { dnssecResolvers, resolversByServer } from "../doctor/dns.ts";
import { systemClock } from "../lib/clock.ts";
import { trimEndOf } from "../lib/trim-end.ts";
import { addressesOn, readSendingPlan, type SendingAddress } from "../spool/port/sending-addresses.ts";
import { type CommandResult, type Implementation, type ParsedArguments, pluralize } from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

/** For one query to one server. */
const QUERY_TIMEOUT_MS = 3000;
/** For discovering the sending addresses; with the limit of the checks, the command ends well within 30 s. */
const DISCOVERY_TIMEOUT_MS = 8000;

const WORD_LENGTH_MAX = 60;
const QUOTE_LENGTH_MAX = 60;

/** A setting, a path or a URL: half of it is of no use. */
const LOCATION = /^(?:[A-Z_]+=|\/|[a-z]+:\/\/)/;

type KnownSpool = Pick<
  DoctorInput,
  | "location"
  | "domains"
  | "returnPaths"
  | "spoolFault"
  | "checkStore"
  | "quarantined"
  | "masterKey"
  | "blocks"
  | "absentAddresses"
> & { added?: readonly SendingAddress[] };

/** Queries that are still open at the end are aborted, so the process can exit. */
async function runDoctor(
  config: Config,
  { added = [], ...spool }: KnownSpool,
  { options }: ParsedArguments,
): Promise<CommandResult> {
  const end = new AbortController();
  const resolving = { servers: config.dnsServers, timeoutMs: QUERY_TIMEOUT_MS, tries: 1 };
  const discovery = createResolver({ ...resolving, signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) });
  const addresses = checkedAddresses(await ownSendingIps(config, discovery), added);
  const resolver = createResolver({ ...resolving, signal: end.signal });
  try {
    const secure = dnssecResolvers(config);
    const servers = resolversByServer(config, end.signal);
    const findings = await runChecks({ config, resolver, servers, secure, ...addresses, ...spool, clock: systemClock });
    const problems = findings.filter(({ state }) => state === "problem").map(({ check }) => check);
    const result = { json: findings, text: findingsTable(findings) };
    if (options.check !== true || problems.length === 0) return result;
    return { ...result, failure: `${pluralize(problems.length, "problem")} found: ${problems.join(", ")}` };
  } finally {
    end.abort();
  }
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
  async run({ config, installation, store, account }, args) {
    const known = {
      domains: await store.domains(account.id),
      returnPaths: await store.returnPaths(account.id),
      added: addressesOn(systemAddresses(), await readSendingPlan(store)),
      absentAddresses: await absentAddresses(store, store.nodes),
      ...spoolExamination(installation, store, systemClock),
    };
    return runDoctor(config, known, args);
  },
  runWithoutSpool: ({ config, installation: { spool } }, args) =>
    runDoctor(config, { location: spool.location, domains: null }, args),
  runWithBrokenSpool: ({ config, installation: { spool } }, spoolFault, args) =>
    runDoctor(config, { location: spool.location, domains: null, spoolFault }, args),
};
