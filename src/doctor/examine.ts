/**
 * What stops or hurts delivery from this host: runs every check of doctor/ at once, each within its limit. A question that
 * gets no answer in time is a finding, not a hang.
 */
import { examineBlocklist } from "./blocklists.ts";
import { examineCertificate } from "./certificate.ts";
import { examineClock } from "./clock.ts";
import { examineDisk, examineFileSystem, examineFsync } from "./disk.ts";
import { examineDomain, noSpool } from "./domains.ts";
import { type Finding, type Patient, within } from "./finding.ts";
import { examineMasterKey } from "./master-key.ts";
import { examineDnssec, examineHostname, examineResolver, examineReverse, noSendingIp } from "./names.ts";
import { examineOutbound, examineSink, outboundCheck, outboundFamilies } from "./outbound.ts";
import { examineQuarantine, examineSpoolFile } from "./spool.ts";

export type { Finding, Patient } from "./finding.ts";

type Examination = [check: Finding["check"], work: Promise<Finding>];

/** Runs every check, in the order in which they are best mended. Never rejects; ends within the limit of one check. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const { config, domains, clock } = patient;
  const examinations: Examination[] = [
    ["resolver", examineResolver(patient)],
    ["dnssec", examineDnssec(patient)],
    ["hostname", examineHostname(patient)],
    ...sendingIps(patient),
    ...outbound(patient),
    ...config.blocklists.map((list): Examination => [`blocklist ${list}`, examineBlocklist(list, patient)]),
    ["clock", examineClock(patient)],
    ["disk", examineDisk(config.dataDir)],
    ["file_system", examineFileSystem(config.dataDir)],
    ["fsync", examineFsync(config.dataDir)],
    ["certificate", examineCertificate(patient)],
    ...spool(patient),
  ];
  const about = domains === null ? [noSpool(patient)] : domains.map((domain) => examineDomain(domain, clock.now()));
  return [...(await Promise.all(examinations.map(([check, work]) => within(clock, check, work)))), ...about];
}

function sendingIps(patient: Patient): Examination[] {
  if (patient.sendingIps.length === 0) return [["sending_ips", noSendingIp(patient)]];
  return patient.sendingIps.map((ip) => [`reverse_dns ${ip}`, examineReverse(ip, patient)]);
}

/** Where there is none, or it cannot be opened, `noSpool` says so. */
function spool(patient: Patient): Examination[] {
  if (patient.domains === null) return [];
  return [
    ["spool_file", examineSpoolFile(patient)],
    ["quarantine", examineQuarantine(patient)],
    ["master_key", examineMasterKey(patient)],
  ];
}

function outbound(patient: Patient): Examination[] {
  const { sink } = patient.config;
  if (sink !== null) return [["outbound_smtp", examineSink(sink, patient)]];
  const families = outboundFamilies(patient.sendingIps);
  return families.map((family) => [outboundCheck(family), examineOutbound(family, patient)]);
}

/** Why no mail gets out, of what was found: these are reasons of /readyz. Mail that is accepted waits. */
export function reasonsNotToDeliver(findings: Finding[]): string[] {
  const stopping = findings.filter(
    ({ check, state }) =>
      state === "problem" && ["resolver", "outbound_smtp", "master_key"].includes(check.split(" ")[0] ?? ""),
  );
  return stopping.map(({ check, detail }) => `${check}: ${detail}`);
}
