/** The bound domains as their last checks left them, and a spool that is not there. */
import { resolve } from "node:path";
import { graceSentences } from "../domains/grace.ts";
import { type Domain, isWarned } from "../spool/port/domains.ts";
import type { Finding, Patient } from "./finding.ts";

export function noSpool({ config: { dataDir }, spoolFault }: Patient): Finding {
  if (spoolFault !== undefined)
    return { check: "spool", state: "problem", detail: `It cannot be opened. ${spoolFault}.` };
  const detail = `There is no spool in ${resolve(dataDir)}. The service makes it at its first start; if it runs, its DATA_DIR is another.`;
  return { check: "spool", state: "warning", detail };
}

export function examineDomain(domain: Domain, nowMs: number): Finding {
  const check: Finding["check"] = `domain ${domain.name}`;
  const failing = Object.entries(domain.checks).filter(([, { state }]) => state !== "verified");
  const sentences = failing.map(([name, { state, detail }]) => `${name} ${state}: ${detail}`);
  if (!domain.verified) return { check, state: "problem", detail: `It may not send. ${sentences.join(" ")}` };
  const warned = Object.entries(domain.checks).filter(([, result]) => isWarned(result));
  const warnings = warned.flatMap(([name, result]) => `${name}: ${result.warnings?.join(" ")}`);
  if (failing.length === 0) {
    if (warnings.length === 0) return { check, state: "ok", detail: "All five checks are verified." };
    return { check, state: "warning", detail: `It may send. ${warnings.join(" ")}` };
  }
  const detail = ["It may still send.", ...graceSentences(domain, nowMs), ...sentences, ...warnings].join(" ");
  return { check, state: "warning", detail };
}
