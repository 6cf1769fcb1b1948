/** What the scenario `strangers` passes to the program that attacks, and what that reports. */

export interface StrangerOptions {
  forMs: number;
  /** Where the service listens. */
  http: { host: string; port: number };
  inbound: { host: string; port: number };
  submission: { host: string; port: number };
  /** The port of the recipients' mail exchangers. */
  exchangerPort: number;
  /** The attacked account's key and its verified domain, whose return path is on. */
  key: string;
  domain: string;
}

/** The rounds of each attack, and its responses or replies by code; `cut` means that the connection was closed. */
export type StrangerReport = Record<string, { rounds: number; answers: Record<string, number> }>;

/** How a hostile mail exchanger behaves. */
type HostKind = "never_greets" | "hangs_at_mail" | "slow_dots" | "silent_dns";

export interface HostileDomain {
  name: string;
  address: string;
  kind: HostKind;
}

const KINDS: readonly HostKind[] = ["never_greets", "hangs_at_mail", "slow_dots", "silent_dns"];
export const HOSTILE_DOMAINS = 3000;
export const HOSTILE_PARENT = "hostile.example";

/** The attack by messages to them, in the report. */
export const HOSTILE_MESSAGES = "messages to hosts that hang";

/** The domain with that number, from 0. Each has an address of its own, but every sixtieth shares one that never greets. */
export function hostileDomain(number: number): HostileDomain {
  const name = `h${number}.${HOSTILE_PARENT}`;
  if (number % 60 === 59) return { name, address: "127.9.0.1", kind: "never_greets" };
  const kind = KINDS[number % KINDS.length] ?? "never_greets";
  return { name, address: `127.10.${Math.floor(number / 250)}.${(number % 250) + 1}`, kind };
}
