/** Sender domains as Resend's API shows them. */
import type { CheckedRecord } from "../../app/domains/domain-view.ts";
import { fieldsOf, zoneOf } from "../../domains/record-fields.ts";
import { rfc3339 } from "../../lib/clock.ts";
import type { CheckName, Domain, ReturnPathCheckName } from "../../spool/port/domains.ts";

/** Resend's default. Clients require one, and it means nothing here. */
const REGION = "us-east-1";

export const domainEntry = (domain: Domain) => ({
  id: domain.id,
  name: domain.name,
  status: statusOf(domain),
  created_at: rfc3339(domain.createdAtMs),
  region: REGION,
  open_tracking: false,
  click_tracking: false,
  capabilities: { sending: "enabled", receiving: "disabled" },
});

export const domainView = (domain: Domain, records: readonly CheckedRecord[]) => ({
  object: "domain",
  ...domainEntry(domain),
  records: records.map((each) => recordView(each, zoneOf(domain.name))),
});

function statusOf({ verified, checks }: Domain): string {
  if (verified) return "verified";
  const all = Object.values(checks);
  if (all.every(({ checkedAtMs }) => checkedAtMs === null)) return "not_started";
  return all.some(({ state }) => state === "failed") ? "failed" : "pending";
}

/** The kinds that Resend has. Clients with a closed list of them would not read another one. */
const KINDS: Readonly<Record<CheckName | ReturnPathCheckName, string>> = {
  ownership: "SPF",
  mx: "Receiving",
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "SPF",
  return_path_mx: "SPF",
  return_path_spf: "SPF",
};

function recordView({ record, check: { state, checkedAtMs } }: CheckedRecord, zone: string) {
  const { relativeName, priority, value } = fieldsOf(record, zone);
  return {
    record: KINDS[record.check],
    name: relativeName,
    type: record.type,
    ttl: "Auto",
    status: checkedAtMs === null ? "not_started" : state,
    value,
    ...(priority === null ? {} : { priority }),
  };
}
