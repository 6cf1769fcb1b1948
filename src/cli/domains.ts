/** Binding domains and looking at their DNS. */
import { bindDomain, verifyNow } from "../binding.ts";
import { rfc3339 } from "../clock.ts";
import { createResolver } from "../dns/node-resolver.ts";
import type { CheckContext } from "../domains/check.ts";
import { normaliseDomainName } from "../domains/domain-name.ts";
import { recordsToPublish } from "../domains/records.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";
import { CHECK_NAMES, type Domain } from "../spool/registry.ts";
import { type Command, Refusal, type Surroundings, table } from "./command.ts";

async function contextOf({ config }: Surroundings): Promise<CheckContext> {
  const resolver = createResolver({ servers: config.dnsServers });
  const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, resolver));
  return { resolver, hostname: config.hostname, sendingIps };
}

async function boundDomain({ store, account }: Surroundings, typed: string): Promise<Domain> {
  const name = normaliseDomainName(typed);
  const domain = name.type === "valid" ? await store.domainNamed(account.id, name.name) : null;
  if (domain === null) throw new Refusal(`the account ${account.name} has no domain ${typed}`);
  return domain;
}

const add: Command = {
  usage: "domains add NAME",
  async run(surroundings, { positionals: [name = ""] }) {
    const { store, vault, account, nowMs } = surroundings;
    const bound = await bindDomain(store, vault(), { accountId: account.id, name, nowMs });
    if (bound.type === "invalid") throw new Refusal(`${name} cannot be bound: ${bound.detail}`);
    if (bound.type === "exists") throw new Refusal(`the account ${account.name} has the domain ${name} already`);
    const published = recordsToPublish(bound.domain, await contextOf(surroundings));
    const records = published.map(({ check, type, name: at, value }) => ({ check, type, name: at, value }));
    const lines = published.map((r) => `${r.check}\n  ${r.type} ${r.name}\n  ${r.value}\n  ${r.note}`);
    const text = `Publish these records, then run: domains verify ${bound.domain.name}\n\n${lines.join("\n")}`;
    return { json: { domain: bound.domain.name, records }, text };
  },
};

const verify: Command = {
  usage: "domains verify NAME",
  async run(surroundings, { positionals: [name = ""] }) {
    const context = await contextOf(surroundings);
    const looked = { context, nowMs: surroundings.nowMs };
    const domain = await verifyNow(surroundings.store, await boundDomain(surroundings, name), looked);
    const checks = Object.fromEntries(
      CHECK_NAMES.map((check) => {
        const { state, detail, expected, found } = domain.checks[check];
        return [check, { state, detail, expected, found }];
      }),
    );
    const lines = CHECK_NAMES.map((check) => {
      const { state, detail } = domain.checks[check];
      return `${check.padEnd(10)} ${state.padEnd(18)} ${detail}`;
    });
    const verdict = domain.verified ? "verified: it may send" : "not verified yet";
    const json = { domain: domain.name, verified: domain.verified, checks };
    return { json, text: `${lines.join("\n")}\n${domain.name} is ${verdict}.` };
  },
};

const list: Command = {
  usage: "domains list",
  async run({ store, account }) {
    const domains = (await store.domains(account.id)).map((d) => ({
      domain: d.name,
      verified: d.verified,
      created_at: rfc3339(d.createdAtMs),
      next_check_at: rfc3339(d.nextCheckAtMs),
      checks: Object.fromEntries(CHECK_NAMES.map((check) => [check, d.checks[check].state])),
    }));
    const rows = domains.map((d) => [
      d.domain,
      d.verified ? "verified" : "not verified",
      Object.entries(d.checks)
        .map(([check, state]) => `${check} ${state}`)
        .join(", "),
    ]);
    return { json: domains, text: table(["DOMAIN", "STATE", "CHECKS"], rows, "No domains.") };
  },
};

const remove: Command = {
  usage: "domains remove NAME",
  async run(surroundings, { positionals: [name = ""] }) {
    const { store, account, nowMs } = surroundings;
    const domain = await boundDomain(surroundings, name);
    await store.removeDomain(account.id, domain.name, nowMs);
    const text = `Domain ${domain.name} removed. Mail accepted before is still delivered.`;
    return { json: { domain: domain.name, removed: true }, text };
  },
};

export const domainCommands = [add, verify, list, remove];
