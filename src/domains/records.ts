/**
 * The records that a domain should publish.
 * Decides names and values only; whether they are published is each check's business.
 */
import { isIPv6 } from "node:net";
import type { RecordToPublish } from "../spool/port/domains.ts";
import type { CheckContext, Publisher } from "./check.ts";

/** What the records depend on besides the domain. */
export type Sender = Pick<CheckContext, "hostname" | "sendingIps">;

/** The five records, in the order of the checks. */
export function recordsToPublish(domain: Publisher, sender: Sender): RecordToPublish[] {
  return [
    ownershipRecord(domain),
    mxRecord(domain),
    spfRecord(domain, sender),
    dkimRecord(domain),
    dmarcRecord(domain),
  ];
}

export function ownershipRecord({ name, token }: Pick<Publisher, "name" | "token">): RecordToPublish {
  return {
    check: "ownership",
    type: "TXT",
    name: `_postrider.${name}`,
    value: `postrider-verification=${token}`,
    note: "Shows that you control the domain. Keep it for as long as you send.",
  };
}

export function mxRecord({ name }: Pick<Publisher, "name">): RecordToPublish {
  return {
    check: "mx",
    type: "MX",
    name,
    value: `10 mail.${name}`,
    note: "Any MX that takes your mail is fine: keep yours if you have one.",
  };
}

/** RFC 7208. Without a known sending address the host name stands for it. */
export function spfRecord({ name }: Pick<Publisher, "name">, { hostname, sendingIps }: Sender): RecordToPublish {
  const mechanisms = sendingIps.length > 0 ? sendingIps.map(ipMechanism) : [`a:${hostname}`];
  return {
    check: "spf",
    type: "TXT",
    name,
    value: ["v=spf1", ...mechanisms, "~all"].join(" "),
    note: "A name has one SPF record: if there is one already, add these mechanisms to it before its “all”.",
  };
}

/** RFC 6376 §3.6.1. */
export function dkimRecord({ name, selector, publicKey }: Omit<Publisher, "token">): RecordToPublish {
  return {
    check: "dkim",
    type: "TXT",
    name: `${selector}._domainkey.${name}`,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
    note: "One value. Where the DNS panel takes 255 characters at most, enter it as two strings of the same record.",
  };
}

/** RFC 7489 §6.3. */
export function dmarcRecord({ name }: Pick<Publisher, "name">): RecordToPublish {
  return {
    check: "dmarc",
    type: "TXT",
    name: `_dmarc.${name}`,
    value: "v=DMARC1; p=none",
    note: "Any valid policy is fine: keep yours if you have one.",
  };
}

/** The SPF mechanism that names one address (RFC 7208 §5.6). */
export function ipMechanism(ip: string): string {
  return `${isIPv6(ip) ? "ip6" : "ip4"}:${ip}`;
}
