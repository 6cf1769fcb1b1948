/**
 * A domain's checks as they are stored: one JSON text, and the history of their changes; those of its return path in another
 * text. What a check's result means is decided in domains/.
 */
import {
  CHECK_NAMES,
  type CheckChange,
  type DomainCheck,
  type DomainChecks,
  RETURN_PATH_CHECK_NAMES,
  type ReturnPathChecks,
  uncheckedRecord,
} from "../port/domains.ts";
import { isObject, soundJson } from "./stored-json.ts";

/** Changes kept for each domain. */
export const CHANGES_KEPT = 200;

/** Decodes stored checks; null if they cannot be decoded. */
export const storedChecks = (json: string): DomainChecks | null => soundJson(json, areChecks);

const areChecks = (value: unknown): value is DomainChecks =>
  isObject(value) && CHECK_NAMES.every((name) => isObject(value[name]));

/** When the newest of the checks ran; 0 if none has. */
export const newestCheckMs = (checks: DomainChecks): number =>
  Math.max(...Object.values(checks).map(({ checkedAtMs }) => checkedAtMs ?? 0));

/** Whether the account has proven that it controls the domain with these stored checks. */
export const isProven = ({ verified, checks }: { verified: boolean; checks: string }): boolean =>
  verified || storedChecks(checks)?.ownership.standing === true;

/** Decodes the stored checks of a return path; null if they cannot be decoded. */
export const storedReturnPathChecks = (json: string): ReturnPathChecks | null => soundJson(json, areReturnPathChecks);

const areReturnPathChecks = (value: unknown): value is ReturnPathChecks =>
  isObject(value) && RETURN_PATH_CHECK_NAMES.every((name) => isObject(value[name]));

/** The checks of a return path that was just turned on. */
export const uncheckedReturnPath = (): ReturnPathChecks => ({
  return_path_mx: uncheckedRecord(),
  return_path_spf: uncheckedRecord(),
});

/** Returns each check that changes its state. If the former checks cannot be decoded (null), every state counts as changed. */
export function changedChecks(former: DomainChecks | null, checks: DomainChecks): CheckChange[] {
  return CHECK_NAMES.flatMap((check) => changeOf(check, former?.[check], checks[check]));
}

/** As changedChecks, for the checks of a return path. */
export function changedReturnPathChecks(former: ReturnPathChecks | null, checks: ReturnPathChecks): CheckChange[] {
  return RETURN_PATH_CHECK_NAMES.flatMap((check) => changeOf(check, former?.[check], checks[check]));
}

function changeOf(
  check: CheckChange["check"],
  former: DomainCheck | undefined,
  { state, detail, checkedAtMs }: DomainCheck,
): CheckChange[] {
  return state === former?.state || checkedAtMs === null ? [] : [{ check, state, detail, atMs: checkedAtMs }];
}

/** Checks whose results are lost. Whether the domain may send is stored apart from them, and holds until the next check. */
export function unreadableChecks(standing: boolean): DomainChecks {
  const check = unreadableCheck(standing);
  return { ownership: check, mx: check, spf: check, dkim: check, dmarc: check };
}

/** As unreadableChecks, for the checks of a return path, which is or is not active. */
export function unreadableReturnPathChecks(active: boolean): ReturnPathChecks {
  return { return_path_mx: unreadableCheck(active), return_path_spf: unreadableCheck(active) };
}

const unreadableCheck = (standing: boolean): DomainCheck => ({
  ...uncheckedRecord(),
  detail: "The stored result of this check is damaged. The next check replaces it.",
  standing,
});
