/** Declarations of the commands for the account's sending domains. */
import type { Command } from "../command.ts";

export const domainCommands: Command[] = [
  {
    usage: "domains add NAME",
    summary: "add a domain, and print the DNS records to publish",
    examples: ["domains add example.com"],
    load: async () => (await import("../domains.ts")).addDomain,
  },
  {
    usage: "domains verify NAME",
    summary: "check the domain's DNS records now, and show what to change",
    options: {
      check: {
        type: "boolean",
        usage: "[--check]",
        summary: "exit with 1 unless the domain may send and every check has passed",
      },
    },
    examples: ["domains verify example.com", "domains verify example.com --check"],
    load: async () => (await import("../domains.ts")).verifyDomain,
  },
  {
    usage: "domains list",
    summary: "the account's domains and the states of their checks",
    examples: ["domains list", "domains list --json"],
    load: async () => (await import("../domain-list.ts")).listDomains,
  },
  {
    usage: "domains show NAME",
    summary: "the results of a domain's last checks, and what to do about each DNS record",
    examples: ["domains show example.com"],
    load: async () => (await import("../domain-show.ts")).showDomain,
  },
  {
    usage: "domains return-path NAME on|off",
    summary: "have bounces of the domain sent to the service, and print the DNS records to publish",
    examples: ["domains return-path example.com on"],
    load: async () => (await import("../return-path.ts")).returnPath,
  },
  {
    usage: "domains reports NAME",
    summary: "what receivers report about the domain in a week: DMARC, and TLS to it",
    options: {
      week: {
        type: "string",
        usage: "[--week YYYY-MM-DD]",
        summary: "the week of this day; the newest with reports unless given",
      },
    },
    examples: ["domains reports example.com", "domains reports example.com --week 2026-03-02"],
    load: async () => (await import("../domain-reports.ts")).domainReportsCommand,
  },
  {
    usage: "domains remove NAME",
    summary: "remove a domain; messages accepted before are still delivered",
    examples: ["domains remove example.com"],
    irreversible: true,
    load: async () => (await import("../domains.ts")).removeDomain,
  },
];
