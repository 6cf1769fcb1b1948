/** The positional of commands about one of the account's domains. */
import { normalizeDomainName } from "../domains/domain-name.ts";
import type { Domain } from "../spool/port/domains.ts";
import { type CommandContext, Refusal } from "./command.ts";

/** Rejects with a Refusal if the account has no domain of this name. */
export async function boundDomain({ store, account }: CommandContext, typed: string): Promise<Domain> {
  const name = normalizeDomainName(typed);
  const domain = name.type === "valid" ? await store.domainNamed(account.id, name.name) : null;
  if (domain === null) throw new Refusal(`the account ${account.name} has no domain ${typed}`);
  return domain;
}
