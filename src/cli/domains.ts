/** Commands that bind sending domains and check their DNS records. */
import { bindDomain } from "../app/bind-domain.ts";
import { verifyNow } from "../app/verify-domain.ts";
import { describeGracePeriods } from "../domains/grace-period.ts";
import { recordsToPublish, returnPathRecords } from "../domains/records.ts";
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type Domain, isWarned, RETURN_PATH_CHECK_NAMES } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { boundDomain } from "./bound-domain.ts";
import { checkJson, checkLine, publishedRecords, recordLines } from "./check-text.ts";
import { type Implementation, pluralize, Refusal } from "./command.ts";
import { returnPathJson, returnPathLines } from "./return-path-text.ts";
import { senderContext } from "./sender-context.ts";
import { requireServiceVault } from "./service-vault.ts";

export const addDomain: Implementation = {
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
    const published = recordsToPublish(bound.domain, await senderContext(context));
    const lines = published.map(recordLines);
    const text = `Publish these records, then run: domains verify ${bound.domain.name}\n\n${lines.join("\n")}`;
    return { json: { domain: bound.domain.name, records: publishedRecords(published) }, text };
  },
};

export const verifyDomain: Implementation = {
  async run(context, { positionals: [name = ""], options }) {
    const at = { context: await senderContext(context), nowMs: context.nowMs };
    const before = await boundDomain(context, name);
    const domain = await verifyNow(context.store, before, at);
    const path = await context.store.returnPathNamed(domain.accountId, domain.name);
    const checks = Object.fromEntries(CHECK_NAMES.map((check) => [check, checkJson(domain.checks[check])]));
    const lines = CHECK_NAMES.map((check) => checkLine(check, domain.checks[check]));
    const verdict = verdictLines(domain, before.verified, context.nowMs);
    const json = { domain: domain.name, verified: domain.verified, checks, return_path: returnPathJson(path) };
    const result = { json, text: [...lines, ...verdict, ...returnPathLines(path)].join("\n") };
    const failing = options.check === true ? failingChecks(domain, path) : [];
    if (failing.length === 0) return result;
    return { ...result, failure: `${domain.name} has checks that did not pass: ${failing.join(", ")}` };
  },
};

/** The checks of the domain, and of its return path, that have not passed. */
function failingChecks({ checks }: Domain, path: ReturnPath | null): string[] {
  const names = CHECK_NAMES.filter((check) => checks[check].state !== "verified");
  if (path === null) return names;
  return [...names, ...RETURN_PATH_CHECK_NAMES.filter((check) => path.checks[check].state !== "verified")];
}

export const showDomain: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const { store, nowMs } = context;
    const domain = await boundDomain(context, name);
    const path = await store.returnPathNamed(domain.accountId, domain.name);
    const sender = await senderContext(context);
    const records = [...recordsToPublish(domain, sender), ...(path === null ? [] : returnPathRecords(domain, sender))];
    const json = {
      ...{ domain: domain.name, verified: domain.verified, created_at: rfc3339(domain.createdAtMs) },
      next_check_at: rfc3339(domain.nextCheckAtMs),
      checks: Object.fromEntries(CHECK_NAMES.map((check) => [check, checkJson(domain.checks[check])])),
      return_path: returnPathJson(path),
      records: publishedRecords(records),
    };
    const text = [
      `${domain.name}, bound ${rfc3339(domain.createdAtMs)}. Checked automatically; next check at ${json.next_check_at}.`,
      "",
      ...CHECK_NAMES.map((check) => checkLine(check, domain.checks[check])),
      ...verdictLines(domain, domain.verified, nowMs),
      ...returnPathLines(path),
      "",
      "Its DNS records:",
      "",
      ...records.map(recordLines),
    ];
    return { json, text: text.join("\n") };
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

export const removeDomain: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const { store, account, nowMs, confirm } = context;
    const domain = await boundDomain(context, name);
    await confirm(`Remove ${domain.name} from the account ${account.name}? Sends from it are refused from now on.`);
    await store.removeDomain(account.id, domain.name, nowMs);
    const text = `Domain ${domain.name} removed. Messages accepted before are still delivered.`;
    return { json: { domain: domain.name, removed: true }, text };
  },
};
