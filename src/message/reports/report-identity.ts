/** What identifies a report: who sent it, about which domain and period. Values are bounded: anyone can send a report. */
import { addressesIn } from "../feedback/addresses.ts";

export interface ReportIdentity {
  /** The name that the sender gives itself, else the domain of its address. */
  org: string;
  /** Unique among the reports of an `org`. */
  reportId: string;
  /** The domain that the report is about: lower-case A-labels. */
  domain: string;
  beginMs: number;
  endMs: number;
}

const TEXT_LENGTH_MAX = 200;
const DOMAIN_LENGTH_MAX = 253;
/** Times of the years 2000 to 2100. */
const [EARLIEST_MS, LATEST_MS] = [946_684_800_000, 4_102_444_800_000];
/** Receivers report daily, some weekly. */
const PERIOD_MS_MAX = 32 * 86_400_000;

/** A name or id in one line of visible characters; empty if nothing is left. */
export function boundedText(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = value
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return [...line].slice(0, TEXT_LENGTH_MAX).join("");
}

/** The name of the sender; where it gives none, the domain of its address. Empty without both. */
export function organisation(name: unknown, contact: unknown): string {
  const named = boundedText(name);
  if (named !== "" || typeof contact !== "string") return named;
  const [address = ""] = addressesIn(contact.slice(0, 2 * TEXT_LENGTH_MAX));
  return domainText(address.slice(address.lastIndexOf("@") + 1));
}

/** A domain or selector without a final dot, in lower case; empty if the text is none. */
export function domainText(value: unknown): string {
  if (typeof value !== "string") return "";
  const name = value.trim().toLowerCase().replace(/\.$/, "");
  return name.length <= DOMAIN_LENGTH_MAX && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name) ? name : "";
}

/** Null if the times are missing or make no period of a report. */
export function boundedPeriod(beginMs: number, endMs: number): { beginMs: number; endMs: number } | null {
  const isPeriod = beginMs >= EARLIEST_MS && endMs <= LATEST_MS && endMs >= beginMs && endMs - beginMs <= PERIOD_MS_MAX;
  return isPeriod ? { beginMs: Math.floor(beginMs), endMs: Math.floor(endMs) } : null;
}
