/** What the doctor finds about this server and its spool, for a program that ends soon after. */
import { systemAddresses } from "../../dns/own-addresses.ts";
import { createResolver } from "../../dns/stub-resolver.ts";
import { type DoctorInput, type Finding, runChecks } from "../../doctor/checks.ts";
import { dnssecResolvers, resolversByServer } from "../../doctor/dns.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Account } from "../../spool/port/accounts.ts";
import { addressesOn, readSendingPlan, type SendingAddress } from "../../spool/port/sending-addresses.ts";
import type { Store } from "../../spool/port/store.ts";
import { checkedAddresses, ownSendingIps } from "../domains/sending-addresses.ts";
import type { Installation } from "./installation-parts.ts";
import { absentAddresses, spoolExamination } from "./spool-examination.ts";

/** For one query to one server. */
const QUERY_TIMEOUT_MS = 3000;
/** For discovering the sending addresses; with the limit of the checks, the command ends well within 30 s. */
const DISCOVERY_TIMEOUT_MS = 8000;

export type KnownSpool = Pick<
  DoctorInput,
  | "location"
  | "domains"
  | "returnPaths"
  | "spoolFault"
  | "checkStore"
  | "quarantined"
  | "masterKey"
  | "blocks"
  | "certificateState"
  | "absentAddresses"
> & { added?: readonly SendingAddress[] };

type Settings = DoctorInput["config"] &
  Parameters<typeof ownSendingIps>[0] &
  Parameters<typeof dnssecResolvers>[0] &
  Parameters<typeof resolversByServer>[0] & { dnsServers: string[] };

/** Queries that are still open at the end are aborted, so the process can exit. */
export async function hostFindings(config: Settings, { added = [], ...spool }: KnownSpool): Promise<Finding[]> {
  const end = new AbortController();
  const resolving = { servers: config.dnsServers, timeoutMs: QUERY_TIMEOUT_MS, tries: 1 };
  const discovery = createResolver({ ...resolving, signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) });
  const addresses = checkedAddresses(await ownSendingIps(config, discovery), added);
  const resolver = createResolver({ ...resolving, signal: end.signal });
  try {
    const secure = dnssecResolvers(config);
    const servers = resolversByServer(config, end.signal);
    return await runChecks({ config, resolver, servers, secure, ...addresses, ...spool, clock: systemClock });
  } finally {
    end.abort();
  }
}

/** What the doctor looks at in an open spool; of the domains, those of the account. */
export async function knownSpool({
  installation,
  store,
  account,
}: {
  installation: Installation;
  store: Store;
  account: Pick<Account, "id">;
}): Promise<KnownSpool> {
  return {
    domains: await store.domains(account.id),
    returnPaths: await store.returnPaths(account.id),
    added: addressesOn(systemAddresses(), await readSendingPlan(store)),
    absentAddresses: await absentAddresses(store, store.nodes),
    ...spoolExamination(installation, store, systemClock),
  };
}
