/** `domains list`. */
import { domainEntryView } from "../app/domains/domain-view.ts";
import { gracePeriodEndMs } from "../domains/grace-period.ts";
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type CheckName, type Domain } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { stateWord } from "./check-text.ts";
import type { Implementation } from "./command.ts";
import { returnPathText } from "./return-path-text.ts";
import { table } from "./table.ts";

/** A check's state and, for a failing check of a verified domain, the end of its grace period. */
function stateText(domain: Domain, check: CheckName): string {
  const endMs = domain.verified ? gracePeriodEndMs(domain.checks[check]) : null;
  return `${check} ${stateWord(domain.checks[check])}${endMs === null ? "" : ` (counts until ${rfc3339(endMs)})`}`;
}

export const listDomains: Implementation = {
  async run({ store, account }) {
    const bound = await store.domains(account.id);
    const paths = new Map((await store.returnPaths(account.id)).map((path) => [path.domain, path]));
    const pathOf = ({ name }: Domain): ReturnPath | null => paths.get(name) ?? null;
    const domains = bound.map((domain) => domainEntryView(domain, pathOf(domain)));
    const rows = bound.map((d) => [
      d.name,
      d.verified ? "verified" : "not verified",
      CHECK_NAMES.map((check) => stateText(d, check)).join(", "),
      returnPathText(pathOf(d)),
    ]);
    return { json: domains, text: table(["DOMAIN", "STATE", "CHECKS", "RETURN PATH"], rows, "No domains.") };
  },
};
