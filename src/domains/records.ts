/** The records that a domain has to publish: their names and values. The checks decide whether they are published. */
import { isIPv6 } from "node:net";
import type { CheckName } from "../spool/port/domains.ts";
import type { CheckContext, PublishingDomain } from "./check.ts";

export interface RecordToPublish {
  check: CheckName;
  type: "TXT" | "MX";
  /** Without the final dot. */
  name: string;
  /** Without quotes. */
  value: string;
  /** A hint for the user who enters the record. */
  note: string;
}

/** The host properties that the records depend on. */
export type SendingHost = Pick<CheckContext, "hostname" | "sendingIps">;

/** The five records, in the order of the checks. */
export function recordsToPublish(domain: PublishingDomain, sender: SendingHost): RecordToPublish[] {
  return [
    ownershipRecord(domain),
    mxRecord(domain),
    spfRecord(domain, sender),
    dkimRecord(domain),
    dmarcRecord(domain),
  ];
}

export function ownershipRecord({ name, token }: Pick<PublishingDomain, "name" | "token">): RecordToPublish {
  return {
    check: "ownership",
    type: "TXT",
    name: `_postrider.${name}`,
    value: `postrider-verification=${token}`,
    note: "Proves that you control the domain. Keep it as long as you send from the domain.",
  };
}

export function mxRecord({ name }: Pick<PublishingDomain, "name">): RecordToPublish {
  return {
    check: "mx",
    type: "MX",
    name,
    value: `10 mail.${name}`,
    note: "Any MX record for your mail server is valid. Keep yours if you have one.",
  };
}

/** RFC 7208. Uses the host name where no sending address is known. */
export function spfRecord(
  { name }: Pick<PublishingDomain, "name">,
  { hostname, sendingIps }: SendingHost,
): RecordToPublish {
  const mechanisms = sendingIps.length > 0 ? sendingIps.map(ipMechanism) : [`a:${hostname}`];
  return {
    check: "spf",
    type: "TXT",
    name,
    value: ["v=spf1", ...mechanisms, "~all"].join(" "),
    note: "A domain can have only one SPF record. If it already has one, add these mechanisms to it before its “all”.",
  };
}

/** RFC 6376 §3.6.1. */
export function dkimRecord({ name, selector, publicKey }: Omit<PublishingDomain, "token">): RecordToPublish {
  return {
    check: "dkim",
    type: "TXT",
    name: `${selector}._domainkey.${name}`,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
    note: "Enter the value in full. If the DNS panel accepts at most 255 characters, enter it as two strings of the same record.",
  };
}

/** RFC 7489 §6.3. */
export function dmarcRecord({ name }: Pick<PublishingDomain, "name">): RecordToPublish {
  return {
    check: "dmarc",
    type: "TXT",
    name: `_dmarc.${name}`,
    value: "v=DMARC1; p=none",
    note: "Any valid policy is accepted. Keep yours if you have one.",
  };
}

/** The SPF mechanism for one address (RFC 7208 §5.6). */
export function ipMechanism(ip: string): string {
  return `${isIPv6(ip) ? "ip6" : "ip4"}:${ip}`;
}
