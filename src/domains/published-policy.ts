/** The DMARC policy of a domain by the record that its check has found. */
import { appliedPolicy, isDmarc, type Policy, readDmarc } from "../dmarc/record.ts";
import type { Domain } from "../spool/port/domains.ts";

/** What receivers apply to the domain; null unless the check is verified with one record that receivers use. */
export function publishedPolicy({ checks: { dmarc } }: Pick<Domain, "checks">): Policy | null {
  const [text, ...others] = dmarc.found;
  if (dmarc.state !== "verified" || text === undefined || others.length > 0 || !isDmarc(text)) return null;
  const record = readDmarc(text);
  // The record of a domain above.
  const requested = dmarc.foundAt === undefined ? record.p : record.sp;
  return record.isApplied ? appliedPolicy(record, requested) : null;
}
