/** Commands that bind sending domains and check their DNS records. */
import { bindDomain } from "../app/bind-domain.ts";
import { createCheckContext } from "../app/check-context.ts";
import { serviceSendingIps } from "../app/sending-addresses.ts";
import { verifyNow } from "../app/verify-domain.ts";
import { createResolver } from "../dns/node-resolver.ts";
import type { CheckContext } from "../domains/check.ts";
import { describeGracePeriods, gracePeriodEndMs } from "../domains/grace-period.ts";
import { recordsToPublish } from "../domains/records.ts";
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type CheckName, type Domain, isWarned } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { boundDomain } from "./bound-domain.ts";
import { checkJson, checkLine, publishedRecords, recordLines, stateWord } from "./check-text.ts";
import { type Command, type CommandContext, pluralize, Refusal, table } from "./command.ts";
import { domainReports } from "./domain-reports.ts";
import { returnPathCommand, returnPathJson, returnPathLines, returnPathStates, returnPathText } from "./return-path.ts";
import { requireServiceVault } from "./service-vault.ts";

async function checkContext({ config, store }: CommandContext): Promise<CheckContext> {
  const resolver = createResolver({ servers: config.dnsServers });
  const sendingIps = await serviceSendingIps(config, resolver, store.nodes);
  return createCheckContext(config, resolver, () => sendingIps);
}

const add: Command = {
  usage: "domains add NAME",
  summary: "bind a domain, and print the DNS records to publish",
  createsSpool: true,
  async run(context, { positionals: [name = ""] }) {
    const { store, vault, account, nowMs } = context;
    const { domainsMax } = context.config;
    await requireServiceVault(context);
    const bound = await bindDomain(store, await vault(), { accountId: account.id, name, nowMs, domainsMax });
    if (bound.type === "invalid") throw new Refusal(`${name} cannot be bound: ${bound.detail}`);
    if (bound.type === "exists") throw new Refusal(`the account ${account.name} already has the domain ${name}`);
    if (bound.type === "too_many") {
      const limit = pluralize(domainsMax, "domain");
      throw new Refusal(
        `the account ${account.name} has reached its limit of ${limit} (DOMAINS_MAX): remove one first`,
      );
    }
    const published = recordsToPublish(bound.domain, await checkContext(context));
    const lines = published.map(recordLines);
    const text = `Publish these records, then run: domains verify ${bound.domain.name}\n\n${lines.join("\n")}`;
    return { json: { domain: bound.domain.name, records: publishedRecords(published) }, text };
  },
};

const verify: Command = {
  usage: "domains verify NAME",
  summary: "check the domain's DNS records now, and show what to change",
  async run(context, { positionals: [name = ""] }) {
    const at = { context: await checkContext(context), nowMs: context.nowMs };
    const before = await boundDomain(context, name);
    const domain = await verifyNow(context.store, before, at);
    const path = await context.store.returnPathNamed(domain.accountId, domain.name);
    const checks = Object.fromEntries(CHECK_NAMES.map((check) => [check, checkJson(domain.checks[check])]));
    const lines = CHECK_NAMES.map((check) => checkLine(check, domain.checks[check]));
    const verdict = verdictLines(domain, before.verified, context.nowMs);
    const json = { domain: domain.name, verified: domain.verified, checks, return_path: returnPathJson(path) };
    return { json, text: [...lines, ...verdict, ...returnPathLines(path)].join("\n") };
  },
};

function verdictLines(domain: Domain, wasVerified: boolean, nowMs: number): string[] {
  const { name, verified, checks } = domain;
  if (!verified) return [`${name} is ${wasVerified ? "no longer verified: it may not send" : "not verified yet"}.`];
  if (CHECK_NAMES.every((check) => checks[check].state === "verified")) {
    const warned = CHECK_NAMES.filter((check) => isWarned(checks[check]));
    const but = warned.length === 0 ? "" : ` See the warning on ${warned.join(", ")}.`;
    return [`${name} is verified: it may send.${but}`];
  }
  return [`${name} is still verified: it may send.`, ...describeGracePeriods(domain, nowMs)];
}

/** A check's state and, for a failing check of a verified domain, the end of its grace period. */
function stateText(domain: Domain, check: CheckName): string {
  const endMs = domain.verified ? gracePeriodEndMs(domain.checks[check]) : null;
  return `${check} ${stateWord(domain.checks[check])}${endMs === null ? "" : ` (counts until ${rfc3339(endMs)})`}`;
}

const list: Command = {
  usage: "domains list",
  summary: "the account's domains and the states of their checks",
  async run({ store, account }) {
    const bound = await store.domains(account.id);
    const paths = new Map((await store.returnPaths(account.id)).map((path) => [path.domain, path]));
    const pathOf = ({ name }: Domain): ReturnPath | null => paths.get(name) ?? null;
    const domains = bound.map((d) => ({
      domain: d.name,
      verified: d.verified,
      created_at: rfc3339(d.createdAtMs),
      next_check_at: rfc3339(d.nextCheckAtMs),
      checks: Object.fromEntries(CHECK_NAMES.map((check) => [check, d.checks[check].state])),
      return_path: returnPathStates(pathOf(d)),
    }));
    const rows = bound.map((d) => [
      d.name,
      d.verified ? "verified" : "not verified",
      CHECK_NAMES.map((check) => stateText(d, check)).join(", "),
      returnPathText(pathOf(d)),
    ]);
    return { json: domains, text: table(["DOMAIN", "STATE", "CHECKS", "RETURN PATH"], rows, "No domains.") };
  },
};

const remove: Command = {
  usage: "domains remove NAME",
  summary: "unbind a domain; messages accepted before are still delivered",
  async run(context, { positionals: [name = ""] }) {
    const { store, account, nowMs } = context;
    const domain = await boundDomain(context, name);
    await store.removeDomain(account.id, domain.name, nowMs);
    const text = `Domain ${domain.name} removed. Messages accepted before are still delivered.`;
    return { json: { domain: domain.name, removed: true }, text };
  },
};

export const domainCommands = [
  add,
  verify,
  list,
  returnPathCommand({ boundDomain, checkContext }),
  domainReports,
  remove,
];
