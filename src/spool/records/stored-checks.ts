/**
 * A domain's checks as they are stored: one JSON text, and the history of their changes. What a check's result means is decided
 * in domains/.
 */
import { CHECK_NAMES, type CheckChange, type DomainCheck, type DomainChecks } from "../port/domains.ts";
import { isObject, soundJson } from "./stored-json.ts";

/** Changes kept for each domain. */
export const CHANGES_KEPT = 200;

/** Decodes stored checks; null if they cannot be decoded. */
export const storedChecks = (json: string): DomainChecks | null => soundJson(json, areChecks);

const areChecks = (value: unknown): value is DomainChecks =>
  isObject(value) && CHECK_NAMES.every((name) => isObject(value[name]));

/** Returns each check that changes its state. If the former checks cannot be decoded (null), every state counts as changed. */
export function changedChecks(former: DomainChecks | null, checks: DomainChecks): CheckChange[] {
  return CHECK_NAMES.flatMap((check) => {
    const { state, detail, checkedAtMs } = checks[check];
    if (state === former?.[check].state || checkedAtMs === null) return [];
    return [{ check, state, detail, atMs: checkedAtMs }];
  });
}

/** Checks whose results are lost. Whether the domain may send is stored apart from them, and holds until the next check. */
export function unreadableChecks(standing: boolean): DomainChecks {
  const check: DomainCheck = {
    state: "pending",
    detail: "The stored result of this check is damaged. The next check replaces it.",
    expected: "",
    found: [],
    checkedAtMs: null,
    standing,
    failedSinceMs: null,
  };
  return { ownership: check, mx: check, spf: check, dkim: check, dmarc: check };
}
