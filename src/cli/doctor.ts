/** What stops or hurts delivery from this host. */
import { createResolver } from "../dns/node-resolver.ts";
import { examine } from "../doctor.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";
import { type Command, table } from "./command.ts";

const RESOLVER_LIMIT_MS = 3000;

const doctor: Command = {
  usage: "doctor",
  async run({ config, store, account }) {
    const resolver = createResolver({ servers: config.dnsServers, timeoutMs: RESOLVER_LIMIT_MS, tries: 1 });
    const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, resolver));
    const findings = await examine({ config, resolver, sendingIps, domains: await store.domains(account.id) });
    const rows = findings.map(({ check, state, detail }) => [state, check, detail]);
    return { json: findings, text: table(["STATE", "CHECK", "WHAT"], rows, "Nothing was checked.") };
  },
};

export const doctorCommands = [doctor];
