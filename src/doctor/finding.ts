/**
 * The checks of the doctor, their input and findings, and the time limit of each. Every check has a paragraph in
 * docs/MONITORING.md.
 */

import type { Resolver } from "../dns/resolver.ts";
import type { SecureResolver } from "../dns/secure-resolver.ts";
import type { Clock } from "../lib/clock.ts";
import type { HostDkim } from "../security/signing-key-file.ts";
import type { MasterKeyState } from "../security/vault.ts";
import type { CertificateState } from "../spool/port/certificate-state.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { SpoolLocation, StoreCheck } from "../spool/port/maintenance.ts";
import type { QuarantineReport } from "../spool/port/quarantine.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";

export const DOCTOR_CHECKS = [
  "resolver",
  "dnssec",
  "hostname",
  "sending_ips",
  "reverse_dns",
  "outbound_smtp",
  "blocklist",
  "clock",
  "disk",
  "file_system",
  "fsync",
  "public_url",
  "certificate",
  "automatic_certificate",
  "submission_certificate",
  "inbound",
  "host_dkim",
  "contact_page",
  "receivers",
  "spool",
  "spool_file",
  "database",
  "quarantine",
  "master_key",
  "domain",
  "return_path",
] as const;

export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

export interface Finding {
  /** The check, followed by a space and its subject where it has several. */
  check: DoctorCheck | `${DoctorCheck} ${string}`;
  /** `problem` stops delivery, `warning` hurts it, `unclear` could not be determined. */
  state: "ok" | "warning" | "problem" | "unclear";
  /** What was found and how to fix it. */
  detail: string;
}

/** The settings that the checks read, named like the settings. */
export interface DoctorSettings {
  hostname: string;
  host: string;
  dataDir: string;
  certsDir: string;
  publicUrl: string;
  trustProxy: number;
  dnsServers: string[];
  dnsTrustAd: boolean;
  smtpPort: number;
  smtpAllowPrivate: boolean;
  submissionPort: number | null;
  submissionsPort: number | null;
  submissionAllowPlaintext: boolean;
  inboundPort: number | null;
  hostDkim: HostDkim | null;
  contactPage: string | null;
  /** The certificate by ACME; null: there is none. */
  acme: { names: readonly string[]; servesHttp: boolean } | null;
  sink: { host: string; port: number } | null;
  probeDomains: string[];
  blocklists: string[];
}

export interface DoctorInput {
  config: DoctorSettings;
  resolver: Resolver;
  /** One resolver for each DNS server, where there are several; each is checked on its own. */
  servers?: SingleServerResolver[];
  /** Null where DNSSEC is not checked. */
  secure: DnssecResolvers | null;
  sendingIps: string[];
  /** Their names for EHLO, where operators have added them. */
  addressNames?: ReadonlyMap<string, string>;
  /** Sending addresses that operators have added and that no host has which runs. */
  absentAddresses?: readonly string[];
  /** The domains to report on; null where there is no spool yet. */
  domains: Domain[] | null;
  /** The return paths to report on. */
  returnPaths?: ReturnPath[];
  location: SpoolLocation;
  /** Checks the spool's file or database for damage; absent without a spool. */
  checkStore?: () => Promise<StoreCheck>;
  /** Reports the quarantined messages; absent without a spool. */
  quarantined?: () => Promise<QuarantineReport>;
  /** Tests the master key on the sealed secrets; returns null where the key is missing. Absent without a spool. */
  masterKey?: () => Promise<MasterKeyState | null>;
  /** The receivers that refuse this server's address or name; absent without a spool. */
  blocks?: () => Promise<ReceiverBlock[]>;
  /** What is known about the certificate by ACME; absent without a spool. */
  certificateState?: () => Promise<CertificateState>;
  /** Why the existing spool cannot be opened. */
  spoolFault?: string;
  clock: Clock;
  /** The port of the web servers that return the time; default 443. */
  httpsPort?: number;
  /** The port of the contact page without TLS; default 80. */
  httpPort?: number;
}

/** A receiver that refuses mail of a sending address. */
export interface ReceiverBlock {
  /** The receiver's name for people. */
  label: string;
  /** Whether there is a profile of it; anybody can run a receiver without one. */
  isKnown: boolean;
  /** Null for every address of this server. */
  address: string | null;
  sinceMs: number;
  /** Its last reply on one line; null if that is not known. */
  reply: string | null;
  /** Its page for delisting, or for senders; null without one. */
  url: string | null;
}

export interface SingleServerResolver {
  address: string;
  resolver: Resolver;
}

/** `configured`: the resolver that delivery uses. `trusting`: the same with DNS_TRUST_AD. */
export interface DnssecResolvers {
  configured: SecureResolver;
  trusting: SecureResolver;
}

/** The time limit of each check. */
const LIMIT_MS = 15_000;

/** The check's finding, or one that reports its timeout or failure. Never rejects. */
export function withTimeLimit(clock: Clock, check: Finding["check"], work: Promise<Finding>): Promise<Finding> {
  return new Promise((resolve) => {
    const cancel = clock.after(LIMIT_MS, () => resolve(timedOut(check)));
    const settle = (finding: Finding): void => {
      cancel();
      resolve(finding);
    };
    work.then(settle, (error: Error) => {
      settle({ check, state: "unclear", detail: `The check itself failed: ${error.message}.` });
    });
  });
}

function timedOut(check: Finding["check"]): Finding {
  const seconds = LIMIT_MS / 1000;
  // Without any answer no message can be routed, which is a known problem.
  if (check === "resolver") {
    return { check, state: "problem", detail: `No query was answered within ${seconds} s. No message can be routed.` };
  }
  return {
    check,
    state: "unclear",
    detail: `The check took longer than ${seconds} s. Check the resolver and the network.`,
  };
}

/** The detail of a finding that a failed lookup left unclear. */
export function explainLookupFailure(name: string, code: string): string {
  return `The lookup of ${name} failed (${code}), so the result is unknown. Try again later, or check the domain's DNS servers.`;
}
