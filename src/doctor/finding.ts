/**
 * What a finding is, which checks there are, and the limit that holds for each of them. Every check has a paragraph in
 * docs/OPERATIONS.md.
 */

import type { Resolver } from "../dns/resolver.ts";
import type { SecureResolver } from "../dns/secure-query.ts";
import type { Clock } from "../lib/clock.ts";
import type { MasterKeyState } from "../security/vault.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { QuarantineReport } from "../spool/port/quarantine.ts";

export const CHECKS = [
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
  "certificate",
  "spool",
  "spool_file",
  "quarantine",
  "master_key",
  "domain",
] as const;

export type Check = (typeof CHECKS)[number];

export interface Finding {
  /** The check, and behind a blank what it looked at where there are several. */
  check: Check | `${Check} ${string}`;
  /** `problem` stops delivery, `warning` hurts it, `unclear` could not be told. */
  state: "ok" | "warning" | "problem" | "unclear";
  /** What was seen, and what to do. */
  detail: string;
}

/** The settings that the checks read; each has the meaning of the setting of its name. */
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
  sink: { host: string; port: number } | null;
  probeDomains: string[];
  blocklists: string[];
}

export interface Patient {
  config: DoctorSettings;
  resolver: Resolver;
  /** Each DNS server by itself, where there are several; without them none is examined alone. */
  servers?: DnsServerAlone[];
  /** Null: DNSSEC is not looked at. */
  secure: SecureQuestions | null;
  sendingIps: string[];
  /** Those to report on; null where there is no spool yet. */
  domains: Domain[] | null;
  /** Reads the spool's file for damage; without it there is none. */
  checkFile?: () => Promise<FileCheck>;
  /** The messages that are set aside; without it there is no spool. */
  quarantined?: () => Promise<QuarantineReport>;
  /** Tries the master key on what is sealed, null where it is missing; without it there is no spool. */
  masterKey?: () => MasterKeyState | null;
  /** Why the spool that is there cannot be opened. */
  spoolFault?: string;
  clock: Clock;
  /** Where the clocks of others are asked for; 443 unless given. */
  httpsPort?: number;
}

export interface DnsServerAlone {
  address: string;
  resolver: Resolver;
}

/** `faults` is null when the file is too large to be read for this. */
export interface FileCheck {
  sizeBytes: number;
  faults: string[] | null;
}

/** `own`: as the delivery asks. `believing`: as it would with DNS_TRUST_AD. */
export interface SecureQuestions {
  own: SecureResolver;
  believing: SecureResolver;
}

/** No check takes longer; what it has not told by then is unclear, or what `late` says. */
const LIMIT_MS = 15_000;

/** The check's finding, or that it took too long or broke off. Never rejects. */
export function within(clock: Clock, check: Finding["check"], work: Promise<Finding>): Promise<Finding> {
  return new Promise((resolve) => {
    const cancel = clock.after(LIMIT_MS, () => resolve(late(check)));
    const settle = (finding: Finding): void => {
      cancel();
      resolve(finding);
    };
    work.then(settle, (error: Error) => {
      settle({ check, state: "unclear", detail: `The check itself failed: ${error.message}.` });
    });
  });
}

function late(check: Finding["check"]): Finding {
  const seconds = LIMIT_MS / 1000;
  // Without an answer to anything no mail is routed: that is more than not knowing.
  if (check === "resolver") {
    return { check, state: "problem", detail: `No question was answered within ${seconds} s. No mail can be routed.` };
  }
  return { check, state: "unclear", detail: `It took longer than ${seconds} s. Look at the resolver and the network.` };
}

/** For what a look-up left open. */
export function unclearWords(name: string, code: string): string {
  return `The look-up of ${name} failed (${code}), so nothing is known of it. Ask again later, or look at its DNS servers.`;
}
