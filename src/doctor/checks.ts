/**
 * What stops or hurts delivery from this host: runs every check of doctor/ at once, each within its limit. A question that
 * gets no answer in time is a finding, not a hang.
 */
import { checkBlocklist } from "./blocklists.ts";
import { checkCertificate } from "./certificate.ts";
import { checkClock } from "./clock.ts";
import { checkDisk, checkFileSystem, checkFsync } from "./disk.ts";
import { checkDnssec, checkHostname, checkResolver, checkReverseDns, explainMissingSendingIps } from "./dns.ts";
import { checkDomain, explainMissingSpool } from "./domains.ts";
import { type DoctorInput, type Finding, withTimeLimit } from "./finding.ts";
import { checkMasterKey } from "./master-key.ts";
import { checkOutbound, checkSink, outboundCheckName, outboundFamilies } from "./outbound.ts";
import { checkQuarantine, checkSpoolFile } from "./spool.ts";

export type { DoctorInput, Finding } from "./finding.ts";

type RunningCheck = [check: Finding["check"], work: Promise<Finding>];

/** Runs every check, in the order in which they are best mended. Never rejects; ends within the limit of one check. */
export async function runChecks(patient: DoctorInput): Promise<Finding[]> {
  const { config, domains, clock } = patient;
  const examinations: RunningCheck[] = [
    ["resolver", checkResolver(patient)],
    ["dnssec", checkDnssec(patient)],
    ["hostname", checkHostname(patient)],
    ...sendingIpChecks(patient),
    ...outboundChecks(patient),
    ...config.blocklists.map((list): RunningCheck => [`blocklist ${list}`, checkBlocklist(list, patient)]),
    ["clock", checkClock(patient)],
    ["disk", checkDisk(config.dataDir)],
    ["file_system", checkFileSystem(config.dataDir)],
    ["fsync", checkFsync(config.dataDir)],
    ["certificate", checkCertificate(patient)],
    ...spoolChecks(patient),
  ];
  const about =
    domains === null ? [explainMissingSpool(patient)] : domains.map((domain) => checkDomain(domain, clock.now()));
  return [...(await Promise.all(examinations.map(([check, work]) => withTimeLimit(clock, check, work)))), ...about];
}

function sendingIpChecks(patient: DoctorInput): RunningCheck[] {
  if (patient.sendingIps.length === 0) return [["sending_ips", explainMissingSendingIps(patient)]];
  return patient.sendingIps.map((ip) => [`reverse_dns ${ip}`, checkReverseDns(ip, patient)]);
}

/** Where there is none, or it cannot be opened, `noSpool` says so. */
function spoolChecks(patient: DoctorInput): RunningCheck[] {
  if (patient.domains === null) return [];
  return [
    ["spool_file", checkSpoolFile(patient)],
    ["quarantine", checkQuarantine(patient)],
    ["master_key", checkMasterKey(patient)],
  ];
}

function outboundChecks(patient: DoctorInput): RunningCheck[] {
  const { sink } = patient.config;
  if (sink !== null) return [["outbound_smtp", checkSink(sink, patient)]];
  const families = outboundFamilies(patient.sendingIps);
  return families.map((family) => [outboundCheckName(family), checkOutbound(family, patient)]);
}

/** Why no mail gets out, of what was found: these are reasons of /readyz. Mail that is accepted waits. */
export function reasonsNotToDeliver(findings: Finding[]): string[] {
  const stopping = findings.filter(
    ({ check, state }) =>
      state === "problem" && ["resolver", "outbound_smtp", "master_key"].includes(check.split(" ")[0] ?? ""),
  );
  return stopping.map(({ check, detail }) => `${check}: ${detail}`);
}
