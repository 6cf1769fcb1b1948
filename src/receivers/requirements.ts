/**
 * What receivers require of who sends to them, beside the limits of their profiles. Collected in November 2026 from the pages that `source`
 * names; app/reports/standing.ts compares it with this server's own mail.
 */

/** What shows whether a requirement is met: sessions, DMARC reports, the reverse name of the sending addresses, or complaints. */
export type Measure = "tls" | "authentication" | "reverse_name" | "complaints";

export interface Requirement {
  /** Names of profiles; empty for every receiver. */
  receivers: readonly string[];
  rule: string;
  /** Absent where nothing that this server sees shows it. */
  measure?: Measure;
  /** With `complaints`: the share of messages from which on the requirement is not met. */
  shareMax?: number;
  /** `YYYY` or `YYYY-MM`; absent where it is not known. */
  since?: string;
  source: string;
  /** When it was looked up, `YYYY-MM`. */
  asOf: string;
}

const GMAIL = "Google, Email sender guidelines";
const YAHOO = "Yahoo Sender Hub, Sender best practices";
const OUTLOOK = "Microsoft, Outlook.com requirements for high-volume senders";
const AS_OF = "2026-11";

const REQUIREMENTS: readonly Requirement[] = [
  {
    receivers: [],
    rule: "Each sending address has a reverse name that resolves back to it.",
    measure: "reverse_name",
    source: GMAIL,
    asOf: AS_OF,
  },
  {
    receivers: ["gmail"],
    rule: "Messages arrive over TLS.",
    measure: "tls",
    since: "2023-12",
    source: GMAIL,
    asOf: AS_OF,
  },
  {
    receivers: ["gmail", "yahoo"],
    rule: "SPF or DKIM passes, and one of them is aligned with From; above 5,000 messages a day both pass, and the domain has a DMARC record.",
    measure: "authentication",
    since: "2024-02",
    source: `${GMAIL}; ${YAHOO}`,
    asOf: AS_OF,
  },
  {
    receivers: ["outlook"],
    rule: "Above 5,000 messages a day SPF, DKIM and DMARC pass.",
    measure: "authentication",
    since: "2025-05",
    source: OUTLOOK,
    asOf: AS_OF,
  },
  {
    receivers: ["gmail", "yahoo"],
    rule: "Recipients report less than 0.1 % of the messages as spam, and never 0.3 %. Gmail shows its rate only in Postmaster Tools.",
    measure: "complaints",
    shareMax: 0.003,
    since: "2024-02",
    source: `${GMAIL}; ${YAHOO}`,
    asOf: AS_OF,
  },
  {
    receivers: ["gmail", "yahoo"],
    rule: "Marketing mail has one-click unsubscription (RFC 8058), above 5,000 messages a day. Transactional mail is exempt.",
    since: "2024-06",
    source: `${GMAIL}; ${YAHOO}`,
    asOf: AS_OF,
  },
  {
    receivers: ["icloud"],
    rule: "The domain of MAIL FROM exists, and recipients have asked for the mail.",
    source: "Apple, Postmaster information for iCloud Mail",
    asOf: AS_OF,
  },
  {
    receivers: ["orange"],
    rule: "Above 1,000 messages a day they have a Feedback-ID, and less than 0.6 % are reported as spam.",
    measure: "complaints",
    shareMax: 0.006,
    source: "KumoMTA, shaping.toml, and reports of senders",
    asOf: AS_OF,
  },
  {
    receivers: ["t-online"],
    rule: "The server's name has a web page with contact data. Unknown addresses are rejected at the greeting until its form is sent.",
    source: "Deutsche Telekom, postmaster pages",
    asOf: AS_OF,
  },
];

/** Those of a receiver, and those of every one. */
export const requirementsOf = (name: string): Requirement[] =>
  REQUIREMENTS.filter(({ receivers }) => receivers.length === 0 || receivers.includes(name));
