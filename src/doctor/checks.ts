/**
 * Runs every check for what stops or hurts delivery from this server, concurrently and each with a time limit. An unanswered
 * query becomes a finding and does not block the run.
 */
import { checkAutomaticCertificate } from "./automatic-certificate.ts";
import { checkBlocklist, checkDomainBlocklist, DOMAIN_LISTS } from "./blocklists.ts";
import { checkCertificate } from "./certificate.ts";
import { checkClock } from "./clock.ts";
import { checkContactPage } from "./contact-page.ts";
import { checkDisk, checkFileSystem, checkFsync } from "./disk.ts";
import {
  checkDnssec,
  checkHostname,
  checkResolver,
  checkReverseDns,
  explainAbsentAddress,
  explainMissingSendingIps,
} from "./dns.ts";
import { checkDomain, checkReturnPath, explainMissingSpool } from "./domains.ts";
import { type DoctorInput, type Finding, withTimeLimit } from "./finding.ts";
import { checkHostDkim } from "./host-dkim.ts";
import { checkInbound } from "./inbound.ts";
import { checkMasterKey } from "./master-key.ts";
import { checkOutbound, checkSink, outboundCheckName, outboundFamilies } from "./outbound.ts";
import { checkPublicUrl } from "./public-url.ts";
import { checkReceivers } from "./receivers.ts";
import { checkQuarantine, checkStore, storeCheckName } from "./spool.ts";
import { checkSubmissionCertificate } from "./submission-certificate.ts";

export type { DoctorInput, Finding } from "./finding.ts";

type RunningCheck = [check: Finding["check"], work: Promise<Finding>];

/** Runs every check; the findings are in the order in which to fix them. Never rejects; ends within one check's limit. */
export async function runChecks(input: DoctorInput): Promise<Finding[]> {
  const { domains, clock } = input;
  const examinations: RunningCheck[] = [
    ["resolver", checkResolver(input)],
    ["dnssec", checkDnssec(input)],
    ["hostname", checkHostname(input)],
    ...sendingIpChecks(input),
    ...outboundChecks(input),
    ...blocklistChecks(input),
    ["clock", checkClock(input)],
    ...diskChecks(input),
    ["public_url", checkPublicUrl(input)],
    ["certificate", checkCertificate(input)],
    ["automatic_certificate", checkAutomaticCertificate(input)],
    ["submission_certificate", checkSubmissionCertificate(input)],
    ["inbound", checkInbound(input)],
    ["host_dkim", checkHostDkim(input)],
    ["contact_page", checkContactPage(input)],
    ...spoolChecks(input),
  ];
  const about =
    domains === null ? [explainMissingSpool(input)] : domains.map((domain) => checkDomain(domain, clock.now()));
  const examined = await Promise.all(examinations.map(([check, work]) => withTimeLimit(clock, check, work)));
  return [...examined, ...about, ...(input.returnPaths ?? []).map(checkReturnPath)];
}

function sendingIpChecks(input: DoctorInput): RunningCheck[] {
  const { sendingIps, absentAddresses = [] } = input;
  const absent = absentAddresses.map((ip): RunningCheck => [`sending_ips ${ip}`, explainAbsentAddress(ip)]);
  if (sendingIps.length === 0) return [["sending_ips", explainMissingSendingIps(input)], ...absent];
  return [...sendingIps.map((ip): RunningCheck => [`reverse_dns ${ip}`, checkReverseDns(ip, input)]), ...absent];
}

/** Empty with BLOCKLISTS=none. */
function blocklistChecks(input: DoctorInput): RunningCheck[] {
  const { blocklists, hostname } = input.config;
  const domainLists = blocklists.length === 0 ? [] : DOMAIN_LISTS;
  return [
    ...blocklists.map((list): RunningCheck => [`blocklist ${list}`, checkBlocklist(list, input)]),
    ...domainLists.map((each): RunningCheck => {
      return [`blocklist ${each.list}`, checkDomainBlocklist(each, hostname, input.resolver)];
    }),
  ];
}

/** Empty where the spool is in a database, whose disk is another host's or PostgreSQL's. */
function diskChecks({ config: { dataDir }, location }: DoctorInput): RunningCheck[] {
  if (location.setting !== "DATA_DIR") return [];
  return [
    ["disk", checkDisk(dataDir)],
    ["file_system", checkFileSystem(dataDir)],
    ["fsync", checkFsync(dataDir)],
  ];
}

/** Empty without a spool, which `explainMissingSpool` reports. */
function spoolChecks(input: DoctorInput): RunningCheck[] {
  if (input.domains === null) return [];
  return [
    [storeCheckName(input.location), checkStore(input)],
    ["receivers", checkReceivers(input)],
    ["quarantine", checkQuarantine(input)],
    ["master_key", checkMasterKey(input)],
  ];
}

function outboundChecks(input: DoctorInput): RunningCheck[] {
  const { sink } = input.config;
  if (sink !== null) return [["outbound_smtp", checkSink(sink, input)]];
  const families = outboundFamilies(input.sendingIps);
  return families.map((family) => [outboundCheckName(family), checkOutbound(family, input)]);
}

/** The findings that stop all delivery, as reasons for /readyz. Accepted messages stay pending. */
export function reasonsNotToDeliver(findings: Finding[]): string[] {
  const stopping = findings.filter(
    ({ check, state }) =>
      state === "problem" && ["resolver", "outbound_smtp", "master_key"].includes(check.split(" ")[0] ?? ""),
  );
  return stopping.map(({ check, detail }) => `${check}: ${detail}`);
}
