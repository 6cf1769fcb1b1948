/** The records that a domain has to publish: their names and values. The checks decide whether they are published. */
import { isIPv6 } from "node:net";
import { bouncesDomain } from "../message/return-path.ts";
import type { CheckName, ReturnPathCheckName } from "../spool/port/domains.ts";
import { type CheckContext, contextOf, type KeyedDomain, type PublishingDomain } from "./check.ts";

export interface RecordToPublish<Check extends CheckName | ReturnPathCheckName = CheckName | ReturnPathCheckName> {
  check: Check;
  type: "TXT" | "MX";
  /** Without the final dot. */
  name: string;
  /** Without quotes. Empty where no record would pass yet; the note says what is missing. */
  value: string;
  /** A hint for the user who enters the record. */
  note: string;
}

/** The host properties that the records depend on. */
export type SendingHost = Pick<CheckContext, "hostname" | "sendingIps" | "ipsOf">;

type SenderName = Pick<PublishingDomain, "name" | "accountId">;

/** The five records, in the order of the checks. */
export function recordsToPublish(domain: PublishingDomain, sender: SendingHost): RecordToPublish<CheckName>[] {
  return [
    ownershipRecord(domain),
    mxRecord(domain),
    spfRecord(domain, sender),
    dkimRecord(domain),
    dmarcRecord(domain),
  ];
}

export function ownershipRecord({ name, token }: Pick<PublishingDomain, "name" | "token">): RecordToPublish<CheckName> {
  return {
    check: "ownership",
    type: "TXT",
    name: `_postrider.${name}`,
    value: `postrider-verification=${token}`,
    note: "Proves that you control the domain. Keep it as long as you send from the domain.",
  };
}

export function mxRecord({ name }: Pick<PublishingDomain, "name">): RecordToPublish<CheckName> {
  return {
    check: "mx",
    type: "MX",
    name,
    value: `10 mail.${name}`,
    note: "Any MX record for your mail server is valid. Keep yours if you have one.",
  };
}

/** RFC 7208. */
export function spfRecord(domain: SenderName, sender: SendingHost): RecordToPublish<CheckName> {
  const { name } = domain;
  return {
    check: "spf",
    type: "TXT",
    name,
    ...spfContent(contextOf(domain, sender), {
      all: "~all",
      note: "A domain can have only one SPF record. If it already has one, add these mechanisms to it before its “all”.",
    }),
  };
}

/**
 * Uses the host name where no sending address is known: the record passes as soon as that name resolves to the address. It never
 * would for a name that means nothing outside of the host's network.
 */
function spfContent(
  { hostname, sendingIps }: SendingHost,
  { all, note }: { all: string; note: string },
): Pick<RecordToPublish, "value" | "note"> {
  if (sendingIps.length === 0 && PRIVATE_NAME.test(hostname)) return { value: "", note: NO_ADDRESS };
  const mechanisms = sendingIps.length > 0 ? sendingIps.map(ipMechanism) : [`a:${hostname}`];
  return { value: ["v=spf1", ...mechanisms, all].join(" "), note };
}

/** A name without a dot, or in a domain that is not in the public DNS. */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|localhost|localdomain|internal|lan|home|corp|invalid|home\.arpa)$/;

const NO_ADDRESS =
  "There is no record to publish yet, because no public address of this server is known. Set SENDING_IPS to the addresses that messages are sent from; the record then names them.";

/** RFC 6376 §3.6.1. */
export function dkimRecord({ name, selector, publicKey }: KeyedDomain): RecordToPublish<CheckName> {
  return {
    check: "dkim",
    type: "TXT",
    name: `${selector}._domainkey.${name}`,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
    note: "Enter the value in full. If the DNS panel accepts at most 255 characters, enter it as two strings of the same record.",
  };
}

/** RFC 9989 §4.7. With a return path, reports are sent to it. */
export function dmarcRecord({
  name,
  hasReturnPath = false,
}: Pick<PublishingDomain, "name" | "hasReturnPath">): RecordToPublish<CheckName> {
  return {
    check: "dmarc",
    type: "TXT",
    name: `_dmarc.${name}`,
    value: hasReturnPath ? `v=DMARC1; p=none; rua=${reportUri(name)}` : "v=DMARC1; p=none",
    note: "Any valid policy is accepted. Keep yours if you have one.",
  };
}

/** Where receivers send DMARC reports about a domain with a return path. */
export const reportUri = (name: string): string => `mailto:dmarc-reports@${bouncesDomain(name)}`;

/** The two records of a return path, in the order of their checks. */
export function returnPathRecords(domain: SenderName, sender: SendingHost): RecordToPublish<ReturnPathCheckName>[] {
  return [returnPathMxRecord(domain, sender), returnPathSpfRecord(domain, sender)];
}

export function returnPathMxRecord(
  { name }: Pick<PublishingDomain, "name">,
  { hostname }: Pick<SendingHost, "hostname">,
): RecordToPublish<ReturnPathCheckName> {
  return {
    check: "return_path_mx",
    type: "MX",
    name: bouncesDomain(name),
    value: `10 ${hostname}`,
    note: "Bounces and reports are sent to Postrider at this name. The name must have no other MX record.",
  };
}

/** RFC 7208. Nothing else sends with this name, so other hosts fail. */
export function returnPathSpfRecord(domain: SenderName, sender: SendingHost): RecordToPublish<ReturnPathCheckName> {
  const { name } = domain;
  return {
    check: "return_path_spf",
    type: "TXT",
    name: bouncesDomain(name),
    ...spfContent(contextOf(domain, sender), {
      all: "-all",
      note: "A separate record, beside the SPF record of the domain. Receivers check this one for messages with the return path.",
    }),
  };
}

/** The SPF mechanism for one address (RFC 7208 §5.6). */
export function ipMechanism(ip: string): string {
  return `${isIPv6(ip) ? "ip6" : "ip4"}:${ip}`;
}
