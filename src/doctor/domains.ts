/** The domains and their return paths as of their last checks, and a missing spool. */
import { describeGracePeriods } from "../domains/grace-period.ts";
import { type Domain, isWarned } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import type { DoctorInput, Finding } from "./finding.ts";

export function explainMissingSpool({ location: { setting, value }, spoolFault }: DoctorInput): Finding {
  if (spoolFault !== undefined)
    return { check: "spool", state: "problem", detail: `The spool cannot be opened. ${spoolFault}.` };
  const detail = `There is no spool in ${value}. The service creates it at its first start. If the service is running, it uses a different ${setting}.`;
  return { check: "spool", state: "warning", detail };
}

export function checkDomain(domain: Domain, nowMs: number): Finding {
  const check: Finding["check"] = `domain ${domain.name}`;
  const failing = Object.entries(domain.checks).filter(([, { state }]) => state !== "verified");
  const sentences = failing.map(([name, { state, detail }]) => `${name} ${state}: ${detail}`);
  if (!domain.verified) return { check, state: "problem", detail: `The domain may not send. ${sentences.join(" ")}` };
  const warned = Object.entries(domain.checks).filter(([, result]) => isWarned(result));
  const warnings = warned.flatMap(([name, result]) => `${name}: ${result.warnings?.join(" ")}`);
  if (failing.length === 0) {
    if (warnings.length === 0) return { check, state: "ok", detail: "All five checks are verified." };
    return { check, state: "warning", detail: `The domain may send. ${warnings.join(" ")}` };
  }
  const detail = ["The domain may still send.", ...describeGracePeriods(domain, nowMs), ...sentences, ...warnings].join(
    " ",
  );
  return { check, state: "warning", detail };
}

export function checkReturnPath({ domain, active, checks }: ReturnPath): Finding {
  const check: Finding["check"] = `return_path ${domain}`;
  const results = Object.entries(checks);
  const failing = results.filter(([, { state }]) => state !== "verified");
  const sentences = failing.map(([name, { state, detail }]) => `${name} ${state}: ${detail}`);
  const warnings = results.flatMap(([name, result]) => {
    return isWarned(result) ? [`${name}: ${result.warnings?.join(" ")}`] : [];
  });
  const about = [...sentences, ...warnings];
  const use = active
    ? "The return path is active."
    : "The return path is not active: bounces are sent to the From address of messages.";
  return { check, state: active && about.length === 0 ? "ok" : "warning", detail: [use, ...about].join(" ") };
}
