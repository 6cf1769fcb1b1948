/** What stops or hurts delivery from this host. */

import type { Config } from "../config.ts";
import { createResolver } from "../dns/node-resolver.ts";
import { examine, type Finding } from "../doctor.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";
import type { Domain } from "../spool/registry.ts";
import { type Command, type CommandAnswer, table } from "./command.ts";

const RESOLVER_LIMIT_MS = 3000;

const WORD_LENGTH_MAX = 60;
const QUOTE_LENGTH_MAX = 60;

/** `domains` is null where there is no spool. */
async function examined(config: Config, domains: Domain[] | null): Promise<CommandAnswer> {
  const resolver = createResolver({ servers: config.dnsServers, timeoutMs: RESOLVER_LIMIT_MS, tries: 1 });
  const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, resolver));
  const findings = await examine({ config, resolver, sendingIps, domains });
  return { json: findings, text: findingsTable(findings) };
}

/** One line a finding. Published records and keys are shortened: `--json` has them whole. */
export function findingsTable(findings: Finding[]): string {
  const rows = findings.map(({ check, state, detail }) => [state, check, shortened(detail)]);
  return table(["STATE", "CHECK", "WHAT"], rows, "Nothing was checked.");
}

function shortened(detail: string): string {
  const quotes = detail.replace(/“([^”]*)”/g, (_, quoted: string) => `“${cut(quoted, QUOTE_LENGTH_MAX)}”`);
  return quotes.replace(/\S+/g, (word) => cut(word, WORD_LENGTH_MAX));
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

const doctor: Command = {
  usage: "doctor",
  about: "what stops or hurts delivery from this host",
  run: async ({ config, store, account }) => examined(config, await store.domains(account.id)),
  runWithoutSpool: (config) => examined(config, null),
};

export const doctorCommands = [doctor];
