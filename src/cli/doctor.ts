/** What stops or hurts delivery from this host. */

import { masterKeyState } from "../app/wiring/master-key.ts";
import type { Config } from "../config.ts";
import { createResolver } from "../dns/node-resolver.ts";
import { type DoctorInput, type Finding, runChecks } from "../doctor/checks.ts";
import { dnssecResolvers, resolversByServer } from "../doctor/dns.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";
import { systemClock } from "../lib/clock.ts";
import { quickCheck } from "../spool/sqlite/quick-check.ts";
import { type Command, type CommandAnswer, table } from "./command.ts";

/** For one question to one server. */
const RESOLVER_LIMIT_MS = 3000;
/** For finding out the sending addresses; with the checks' own limit, the whole ends well within 30 s. */
const DISCOVERY_LIMIT_MS = 8000;

const WORD_LENGTH_MAX = 60;
const QUOTE_LENGTH_MAX = 60;

type KnownSpool = Pick<DoctorInput, "domains" | "spoolFault" | "checkFile" | "quarantined" | "masterKey">;

/** Quarantined messages that a finding may name. */
const QUARANTINED_SHOWN = 10;

/** Questions that are still open at the end are dropped, so that nothing lingers. */
async function examined(config: Config, spool: KnownSpool): Promise<CommandAnswer> {
  const over = new AbortController();
  const asked = { servers: config.dnsServers, timeoutMs: RESOLVER_LIMIT_MS, tries: 1 };
  const discovery = createResolver({ ...asked, signal: AbortSignal.timeout(DISCOVERY_LIMIT_MS) });
  const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, discovery));
  const resolver = createResolver({ ...asked, signal: over.signal });
  try {
    const secure = dnssecResolvers(config);
    const servers = resolversByServer(config, over.signal);
    const findings = await runChecks({ config, resolver, servers, secure, sendingIps, ...spool, clock: systemClock });
    return { json: findings, text: findingsTable(findings) };
  } finally {
    over.abort();
  }
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
  run: async ({ config, store, account }) =>
    examined(config, {
      domains: await store.domains(account.id),
      checkFile: () => quickCheck(config.dataDir),
      quarantined: () => store.quarantined(QUARANTINED_SHOWN),
      masterKey: () => masterKeyState(config),
    }),
  runWithoutSpool: (config) => examined(config, { domains: null }),
  runWithBrokenSpool: (config, spoolFault) => examined(config, { domains: null, spoolFault }),
};

export const doctorCommands = [doctor];
