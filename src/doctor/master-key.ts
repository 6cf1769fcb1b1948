/** Whether the master key is the one that the spool's secrets are sealed with: without it nothing can be signed. */
import type { MasterKeyState } from "../security/vault.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** Domains that are named. */
const NAMED_MAX = 3;

const TODO =
  "Put the key that sealed them back into CERTS_DIR/master.key, in a line below the present one if there is one, and restart. If it is lost, see docs/OPERATIONS.md, Keys.";

const UNFINISHED =
  'CERTS_DIR/master.key holds more than one key: an exchange is unfinished. Stop the service, run "postrider master-key rotate", and start it again.';

export async function checkMasterKey({ masterKey }: DoctorInput): Promise<Finding> {
  if (masterKey === undefined)
    return { check: "master_key", state: "unclear", detail: "There is no spool whose secrets it could open." };
  return masterKeyFinding(masterKey());
}

/** `state`: null where the key is missing. */
export function masterKeyFinding(state: MasterKeyState | null): Finding {
  const check = "master_key";
  if (state === null) {
    const detail = `CERTS_DIR has no master.key, but the spool holds secrets sealed with one: no mail can be signed. ${TODO}`;
    return { check, state: "problem", detail };
  }
  const { domains, secondFactors, isBetweenKeys } = state;
  const faults = [...explainDomains(domains.unopened), ...explainSecondFactors(secondFactors.unopened)];
  if (faults.length === 0) {
    if (isBetweenKeys) return { check, state: "warning", detail: UNFINISHED };
    const count = domains.opened + secondFactors.opened;
    const detail = count === 0 ? "Nothing is sealed under it." : "It opens the DKIM keys and second factors in use.";
    return { check, state: "ok", detail };
  }
  const isNoneOpen = domains.unopened.length > 0 && domains.opened === 0;
  return { check, state: isNoneOpen ? "problem" : "warning", detail: `${faults.join(" ")} ${TODO}` };
}

function explainDomains(names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return [
    `It does not open the DKIM keys of ${names.slice(0, NAMED_MAX).join(", ")}${more}: their mail waits unsigned.`,
  ];
}

function explainSecondFactors(count: number): string[] {
  if (count === 0) return [];
  return [`It does not open the second factors of ${count} ${count === 1 ? "user" : "users"}, who cannot sign in.`];
}
