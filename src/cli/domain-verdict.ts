/** Whether a domain may send, in sentences. */
import { describeGracePeriods } from "../domains/grace-period.ts";
import { CHECK_NAMES, type Domain, isWarned } from "../spool/port/domains.ts";

/** `wasVerified`: whether the domain was verified before its checks ran. */
export function verdictLines(domain: Domain, wasVerified: boolean, nowMs: number): string[] {
  const { name, verified, checks } = domain;
  if (!verified) return [`${name} is ${wasVerified ? "no longer verified: it may not send" : "not verified yet"}.`];
  if (CHECK_NAMES.every((check) => checks[check].state === "verified")) {
    const warned = CHECK_NAMES.filter((check) => isWarned(checks[check]));
    const but = warned.length === 0 ? "" : ` See the warning on ${warned.join(", ")}.`;
    return [`${name} is verified: it may send.${but}`];
  }
  return [`${name} is still verified: it may send.`, ...describeGracePeriods(domain, nowMs)];
}
