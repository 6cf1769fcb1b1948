/**
 * DMARC records with what RFC 9989 makes of them. Each row has the section that rules it, the policy for the domain, its subdomains
 * and those that do not exist (`not applied`: receivers do no DMARC processing), and the faults that are worth a mention.
 */
import type { RecordFault } from "../../src/dmarc/record.ts";

export interface RecordRow {
  section: string;
  text: string;
  /** Whether receivers use the text as a record. */
  isRecord: boolean;
  /** "p sp np", then t, psd=y or n, adkim=s, aspf=s where they hold. */
  meaning: string;
  faults: RecordFault["type"][];
}

const RUA = "rua=mailto:a@b.example";

type Row = [section: string, text: string, meaning: string | null, ...faults: RecordFault["type"][]];

const ROWS: Row[] = [
  // The version: first, exact, and alone enough.
  ["4.7 v", "v=DMARC1; p=none", "none none none"],
  ["4.8 dmarc-version", "v = DMARC1 ; p = reject", "reject reject reject"],
  ["4.8 dmarc-version, RFC 5234 2.3", "V=DMARC1;p=reject", "reject reject reject"],
  ["4.8 dmarc-record", "v=DMARC1;p=quarantine;", "quarantine quarantine quarantine"],
  ["4.8 dmarc-sep", "v=DMARC1\t;\tp=reject", "reject reject reject"],
  ["4.8 dmarc-sep", "v=DMARC1; p=reject;;", "reject reject reject"],
  ["4.7 v", "v=dmarc1; p=reject", null],
  ["4.7 v", "v=DMARC2; p=reject", null],
  ["4.7 v", "v=DMARC12; p=reject", null],
  ["4.7 v", "v=DMARC1 p=reject", null],
  ["4.7 v", "v=DMARC1, p=reject", null],
  ["4.7 v", "DMARC1; p=reject", null],
  ["4.7 v", "p=reject; v=DMARC1", null],
  ["4.7 v", "xyzzy=1; v=DMARC1; p=reject", null],
  ["4.7 v", '"v=DMARC1; p=reject"', null],
  ["4.10 step 2", "v=spf1 -all", null],
  ["RFC 6376 3.2 tag-spec", " v=DMARC1; p=reject", "reject reject reject", "leading_space"],
  // The order of tags, and tags that DMARC does not have.
  ["4.8 dmarc-record", `v=DMARC1; ${RUA}; p=reject`, "reject reject reject"],
  ["4.8 dmarc-record", "v=DMARC1; sp=none; adkim=s; p=reject", "reject none none adkim=s"],
  ["4.8 dmarc-record", "v=DMARC1; t=n; psd=u; np=reject; p=none", "none none reject"],
  ["4.7 unknown tags", "v=DMARC1; xyzzy=1; p=reject", "reject reject reject", "unknown_tag"],
  ["4.7 unknown tags", "v=DMARC1; p=reject; x_1=a=b", "reject reject reject", "unknown_tag"],
  ["4.7 unknown tags", "v=DMARC1; p=none; adkin=s", "none none none", "unknown_tag"],
  // The policies.
  ["4.8 dmarc-request, RFC 5234 2.3", "v=DMARC1; p=REJECT", "reject reject reject"],
  ["4.7 sp", "v=DMARC1; p=reject; sp=none", "reject none none"],
  ["4.7 np", "v=DMARC1; p=none; sp=quarantine; np=reject", "none quarantine reject"],
  ["4.7 np", "v=DMARC1; p=quarantine; np=reject", "quarantine quarantine reject"],
  ["4.7 np", "v=DMARC1; p=reject; sp=none", "reject none none"],
  // Without p=, or with an invalid policy.
  ["4.7 p", `v=DMARC1; ${RUA}`, "none none none", "no_policy"],
  ["4.7 p", `v=DMARC1; sp=reject; ${RUA}`, "none reject reject", "no_policy"],
  ["4.10.1", "v=DMARC1", "not applied", "no_policy"],
  ["4.10.1", "v=DMARC1;", "not applied", "no_policy"],
  ["4.10.1", "v=DMARC1; sp=reject", "not applied", "no_policy"],
  ["4.10.1", "v=DMARC1; ruf=mailto:a@b.example", "not applied", "no_policy"],
  ["4.10.1", "v=DMARC1; rua=a@b.example", "not applied", "no_policy", "unusable_uri"],
  ["4.10.1", "v=DMARC1; rua=https://b.example/r", "none none none", "no_policy", "unusable_uri"],
  ["4.10.1", `v=DMARC1; p=rejct; ${RUA}`, "none none none", "invalid_value"],
  ["4.10.1", "v=DMARC1; p=rejct", "not applied", "invalid_value"],
  ["4.8 dmarc-value", `v=DMARC1; p=; ${RUA}`, "none none none", "invalid_value"],
  ["4.10.1", `v=DMARC1; p=reject; sp=rejekt; ${RUA}`, "none none none", "invalid_value"],
  ["4.10.1", "v=DMARC1; p=reject; sp=rejekt", "not applied", "invalid_value"],
  ["4.10.1", `v=DMARC1; p=reject; np=all; ${RUA}`, "none none none", "invalid_value"],
  ["4.8 dmarc-request", `v=DMARC1; p="reject"; ${RUA}`, "none none none", "invalid_value"],
  // Other tags: an invalid value leaves the default.
  ["4.7 adkim, aspf", "v=DMARC1; p=reject; adkim=s; aspf=S", "reject reject reject adkim=s aspf=s"],
  ["4.7 adkim, aspf", "v=DMARC1; p=reject; adkim=r; aspf=r", "reject reject reject"],
  ["4.8 syntax errors", "v=DMARC1; p=reject; adkim=strict", "reject reject reject", "invalid_value"],
  ["4.8 syntax errors", "v=DMARC1; p=reject; aspf=", "reject reject reject", "invalid_value"],
  ["4.7 t", "v=DMARC1; p=reject; t=y", "reject reject reject t"],
  ["4.7 t", "v=DMARC1; p=quarantine; t=n", "quarantine quarantine quarantine"],
  ["4.8 dmarc-yorn", "v=DMARC1; p=reject; t=1", "reject reject reject", "invalid_value"],
  ["4.7 psd", "v=DMARC1; p=reject; psd=n", "reject reject reject psd=n"],
  ["4.7 psd", "v=DMARC1; p=reject; psd=Y", "reject reject reject psd=y"],
  ["4.7 psd", "v=DMARC1; p=reject; psd=u", "reject reject reject"],
  ["4.8 dmarc-psd", "v=DMARC1; p=reject; psd=yes", "reject reject reject", "invalid_value"],
  ["4.8 dmarc-fo", "v=DMARC1; p=none; fo=1:d:s; ruf=mailto:a@b.example", "none none none"],
  ["4.8 dmarc-fo", "v=DMARC1; p=none; fo=d:s", "none none none"],
  ["4.8 dmarc-fo", "v=DMARC1; p=none; fo=0:1", "none none none", "invalid_value"],
  ["4.8 dmarc-fo", "v=DMARC1; p=none; fo=d:d", "none none none", "invalid_value"],
  ["4.8 dmarc-fo", "v=DMARC1; p=none; fo=2", "none none none", "invalid_value"],
  // Addresses for reports.
  ["4.8 dmarc-urilist", "v=DMARC1; p=none; rua=mailto:a@b.example , mailto:c@d.example", "none none none"],
  ["4.8 obs-dmarc-uri", "v=DMARC1; p=none; rua=mailto:a@b.example!10m", "none none none", "size_limit"],
  ["4.7 rua", "v=DMARC1; p=reject; rua=https://b.example/r", "reject reject reject", "unusable_uri"],
  ["4.7 rua", `v=DMARC1; p=reject; ${RUA},c@d.example`, "reject reject reject", "unusable_uri"],
  // What RFC 7489 had.
  ["9.3, A.6", "v=DMARC1; p=reject; pct=50", "reject reject reject", "historic_tag"],
  ["9.3, A.6", "v=DMARC1; pct=100; p=reject", "reject reject reject", "historic_tag"],
  ["9.3", "v=DMARC1; p=none; rf=afrf; ri=86400", "none none none", "historic_tag", "historic_tag"],
  ["9.3", "v=DMARC1; p=none; pct=half", "none none none", "historic_tag"],
  // Syntax: a part that is no tag is discarded. A repeated tag makes a list invalid to some receivers.
  ["4.8 syntax errors", "v=DMARC1; reject; p=reject", "reject reject reject", "malformed"],
  ["4.8 syntax errors", "v=DMARC1; =; p=reject", "reject reject reject", "malformed"],
  ["4.8 syntax errors", "v=DMARC1; p=reject; ä=1", "reject reject reject", "malformed"],
  ["RFC 6376 3.2", "v=DMARC1; p=reject; p=none", "reject reject reject", "repeated"],
  ["RFC 6376 3.2", "v=DMARC1; P=reject", "reject reject reject", "upper_case"],
];

export const RECORDS: RecordRow[] = ROWS.map(([section, text, meaning, ...faults]) => {
  return { section, text, isRecord: meaning !== null, meaning: meaning ?? "", faults };
});
