/** Commands that bind sending domains and check their DNS records. */
import { bindDomain } from "../app/domains/bind-domain.ts";
import { checkViews, namedChecks, recordViews, returnPathView } from "../app/domains/domain-view.ts";
import { verifyNow } from "../app/domains/verify-domain.ts";
import { recordsToPublish } from "../domains/records.ts";
import { boundDomain } from "./bound-domain.ts";
import { checkTable, recordLines } from "./check-text.ts";
import { commandFor, type Implementation, pluralize, Refusal } from "./command.ts";
import { verdictLines } from "./domain-verdict.ts";
import { returnPathLines } from "./return-path-text.ts";
import { senderContext } from "./sender-context.ts";
import { requireServiceVault } from "./service-vault.ts";

export const addDomain: Implementation = {
  createsSpool: true,
  async run(context, { positionals: [name = ""] }) {
    const { store, vault, account, nowMs } = context;
    const { domainsMax } = context.config;
    await requireServiceVault(context);
    const bound = await bindDomain(store, await vault(), { accountId: account.id, name, nowMs, domainsMax });
    if (bound.type === "invalid") throw new Refusal(`${name} cannot be added: ${bound.detail}`);
    if (bound.type === "exists") throw new Refusal(`the account ${account.name} already has the domain ${name}`);
    if (bound.type === "too_many") {
      const limit = pluralize(domainsMax, "domain");
      throw new Refusal(
        `the account ${account.name} has reached its limit of ${limit} (DOMAINS_MAX): remove one first`,
      );
    }
    const published = recordsToPublish(bound.domain, await senderContext(context));
    const lines = published.map(recordLines);
    const text = `Publish these records, then run: ${commandFor(context, `domains verify ${bound.domain.name}`)}\n\n${lines.join("\n")}`;
    return { json: { domain: bound.domain.name, records: recordViews(published) }, text };
  },
};

export const verifyDomain: Implementation = {
  async run(context, { positionals: [name = ""], options }) {
    const at = { context: await senderContext(context), nowMs: context.nowMs };
    const before = await boundDomain(context, name);
    const domain = await verifyNow(context.store, before, at);
    const path = await context.store.returnPathNamed(domain.accountId, domain.name);
    const checks = checkViews(domain);
    const named = namedChecks(domain, path);
    const verdict = verdictLines(domain, before.verified, context.nowMs);
    const json = { domain: domain.name, verified: domain.verified, checks, return_path: returnPathView(path) };
    const result = { json, text: [checkTable(named), "", ...verdict, ...returnPathLines(path)].join("\n") };
    const failing = options.check === true ? named.filter(([, { state }]) => state !== "verified") : [];
    if (failing.length === 0) return result;
    return {
      ...result,
      failure: `${domain.name} has checks that did not pass: ${failing.map(([check]) => check).join(", ")}`,
    };
  },
};

export const removeDomain: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const { store, account, nowMs, confirm } = context;
    const domain = await boundDomain(context, name);
    await confirm(`Remove ${domain.name} from the account ${account.name}? Sends from it are rejected from now on.`);
    await store.removeDomain(account.id, domain.name, nowMs);
    const text = `Domain ${domain.name} removed. Messages accepted before are still delivered.`;
    return { json: { domain: domain.name, removed: true }, text };
  },
};
