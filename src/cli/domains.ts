/** Binding domains and looking at their DNS. */
import { bindDomain, verifyNow } from "../app/bind-domain.ts";
import { isThere } from "../app/startup-checks.ts";
import { createResolver } from "../dns/node-resolver.ts";
import type { CheckContext } from "../domains/check.ts";
import { normaliseDomainName } from "../domains/domain-name.ts";
import { graceEndMs, graceSentences } from "../domains/grace.ts";
import { recordsToPublish } from "../domains/records.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type CheckName, type Domain, isWarned } from "../spool/port/domains.ts";
import { type Command, counted, Refusal, type Surroundings, table } from "./command.ts";

async function contextOf({ config }: Surroundings): Promise<CheckContext> {
  const resolver = createResolver({ servers: config.dnsServers });
  const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, resolver));
  return { resolver, hostname: config.hostname, sendingIps, allowPrivate: config.smtpAllowPrivate };
}

async function boundDomain({ store, account }: Surroundings, typed: string): Promise<Domain> {
  const name = normaliseDomainName(typed);
  const domain = name.type === "valid" ? await store.domainNamed(account.id, name.name) : null;
  if (domain === null) throw new Refusal(`the account ${account.name} has no domain ${typed}`);
  return domain;
}

/** A key sealed with a second master key would never open in the service: every message of the domain would wait. */
async function refuseStrayVault({ config, store }: Surroundings): Promise<void> {
  if (isThere("CERTS_DIR", config.certsDir, "master.key")) return;
  for (const { id } of await store.accounts()) {
    if ((await store.domains(id)).length === 0) continue;
    const fault = `CERTS_DIR=${config.certsDir} holds no master.key, which sealed the keys of the domains that are bound`;
    throw new Refusal(`${fault}: set CERTS_DIR to the service's`);
  }
}

const add: Command = {
  usage: "domains add NAME",
  about: "bind a domain, and print the DNS records to publish",
  makesSpool: true,
  async run(surroundings, { positionals: [name = ""] }) {
    const { store, vault, account, nowMs } = surroundings;
    const { domainsMax } = surroundings.config;
    await refuseStrayVault(surroundings);
    const bound = await bindDomain(store, vault(), { accountId: account.id, name, nowMs, domainsMax });
    if (bound.type === "invalid") throw new Refusal(`${name} cannot be bound: ${bound.detail}`);
    if (bound.type === "exists") throw new Refusal(`the account ${account.name} has the domain ${name} already`);
    if (bound.type === "too_many") {
      const limit = counted(domainsMax, "domain");
      throw new Refusal(
        `the account ${account.name} has reached its limit of ${limit} (DOMAINS_MAX): remove one first`,
      );
    }
    const published = recordsToPublish(bound.domain, await contextOf(surroundings));
    const records = published.map(({ check, type, name: at, value }) => ({ check, type, name: at, value }));
    const lines = published.map((r) => `${r.check}\n  ${r.type} ${r.name}\n  ${r.value}\n  ${r.note}`);
    const text = `Publish these records, then run: domains verify ${bound.domain.name}\n\n${lines.join("\n")}`;
    return { json: { domain: bound.domain.name, records }, text };
  },
};

const verify: Command = {
  usage: "domains verify NAME",
  about: "look at its records now: each check, and what to change",
  async run(surroundings, { positionals: [name = ""] }) {
    const context = await contextOf(surroundings);
    const looked = { context, nowMs: surroundings.nowMs };
    const before = await boundDomain(surroundings, name);
    const domain = await verifyNow(surroundings.store, before, looked);
    const checks = Object.fromEntries(
      CHECK_NAMES.map((check) => {
        const { state, detail, expected, found, warnings = [], foundAt, expectedAt } = domain.checks[check];
        const more = {
          ...(warnings.length === 0 ? {} : { warnings }),
          ...(foundAt === undefined ? {} : { found_at: foundAt }),
          ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
        };
        return [check, { state, detail, expected, found, ...more }];
      }),
    );
    const lines = CHECK_NAMES.map((check) => {
      return `${check.padEnd(10)} ${stateWord(domain, check).padEnd(18)} ${domain.checks[check].detail}`;
    });
    const json = { domain: domain.name, verified: domain.verified, checks };
    return { json, text: [...lines, ...verdictLines(domain, before.verified, surroundings.nowMs)].join("\n") };
  },
};

const stateWord = (domain: Domain, check: CheckName): string =>
  isWarned(domain.checks[check]) ? "verified, warning" : domain.checks[check].state;

function verdictLines(domain: Domain, wasVerified: boolean, nowMs: number): string[] {
  const { name, verified, checks } = domain;
  if (!verified) return [`${name} is ${wasVerified ? "no longer verified: it may not send" : "not verified yet"}.`];
  if (CHECK_NAMES.every((check) => checks[check].state === "verified")) {
    const warned = CHECK_NAMES.filter((check) => isWarned(checks[check]));
    const but = warned.length === 0 ? "" : ` See the warning on ${warned.join(", ")}.`;
    return [`${name} is verified: it may send.${but}`];
  }
  return [`${name} is still verified: it may send.`, ...graceSentences(domain, nowMs)];
}

/** A check's state, and until when it counts all the same. */
function stateText(domain: Domain, check: CheckName): string {
  const endMs = domain.verified ? graceEndMs(domain.checks[check]) : null;
  return `${check} ${stateWord(domain, check)}${endMs === null ? "" : ` (counts until ${rfc3339(endMs)})`}`;
}

const list: Command = {
  usage: "domains list",
  about: "the account's domains and how their checks stand",
  async run({ store, account }) {
    const bound = await store.domains(account.id);
    const domains = bound.map((d) => ({
      domain: d.name,
      verified: d.verified,
      created_at: rfc3339(d.createdAtMs),
      next_check_at: rfc3339(d.nextCheckAtMs),
      checks: Object.fromEntries(CHECK_NAMES.map((check) => [check, d.checks[check].state])),
    }));
    const rows = bound.map((d) => [
      d.name,
      d.verified ? "verified" : "not verified",
      CHECK_NAMES.map((check) => stateText(d, check)).join(", "),
    ]);
    return { json: domains, text: table(["DOMAIN", "STATE", "CHECKS"], rows, "No domains.") };
  },
};

const remove: Command = {
  usage: "domains remove NAME",
  about: "unbind a domain; mail accepted before is still delivered",
  async run(surroundings, { positionals: [name = ""] }) {
    const { store, account, nowMs } = surroundings;
    const domain = await boundDomain(surroundings, name);
    await store.removeDomain(account.id, domain.name, nowMs);
    const text = `Domain ${domain.name} removed. Mail accepted before is still delivered.`;
    return { json: { domain: domain.name, removed: true }, text };
  },
};

export const domainCommands = [add, verify, list, remove];
