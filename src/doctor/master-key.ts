/** Whether the master key opens the sealed secrets of the spool. Without it no message can be signed. */
import type { MasterKeyState } from "../security/vault.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** The number of domains to name. */
const NAMED_MAX = 3;

const TODO =
  "Restore the key that sealed them to CERTS_DIR/master.key, on a line below the current one if there is one, and restart. If the key is lost, see docs/OPERATIONS.md#keys.";

const UNFINISHED =
  'CERTS_DIR/master.key contains more than one key: a rotation is unfinished. Stop the service, run "postrider master-key rotate", and start it again.';

export async function checkMasterKey({ masterKey }: DoctorInput): Promise<Finding> {
  if (masterKey === undefined)
    return { check: "master_key", state: "unclear", detail: "There is no spool with secrets to open." };
  return masterKeyFinding(await masterKey());
}

/** The finding for a master key; `state` is null where the key is missing. */
export function masterKeyFinding(state: MasterKeyState | null): Finding {
  const check = "master_key";
  if (state === null) {
    const detail = `CERTS_DIR has no master.key, but the spool contains secrets sealed with one. No message can be signed. ${TODO}`;
    return { check, state: "problem", detail };
  }
  const { domains, secondFactors, webhooks, isRotationUnfinished: isBetweenKeys } = state;
  const faults = [
    ...explainDomains(domains.unopened),
    ...explainSecondFactors(secondFactors.unopened),
    ...explainWebhooks(webhooks.unopened),
  ];
  if (faults.length === 0) {
    if (isBetweenKeys) return { check, state: "warning", detail: UNFINISHED };
    const count = domains.opened + secondFactors.opened + webhooks.opened;
    const detail =
      count === 0
        ? "The master key is not in use yet."
        : "The master key opens the DKIM keys, second factors and webhook secrets in use.";
    return { check, state: "ok", detail };
  }
  const isNoneOpen = domains.unopened.length > 0 && domains.opened === 0;
  return { check, state: isNoneOpen ? "problem" : "warning", detail: `${faults.join(" ")} ${TODO}` };
}

function explainDomains(names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return [
    `The master key does not open the DKIM keys of ${names.slice(0, NAMED_MAX).join(", ")}${more}. Their messages stay pending unsigned.`,
  ];
}

function explainSecondFactors(count: number): string[] {
  if (count === 0) return [];
  return [
    `The master key does not open the second factors of ${count} ${count === 1 ? "user" : "users"}, who cannot sign in.`,
  ];
}

function explainWebhooks(count: number): string[] {
  if (count === 0) return [];
  return [
    `The master key does not open the secrets of ${count} webhook ${count === 1 ? "endpoint" : "endpoints"}, whose events wait.`,
  ];
}
