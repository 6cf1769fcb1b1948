/** Declarations of the commands for suppressed addresses. */
import { SET_CAUSES, SUPPRESSION_CAUSES } from "../../message/result/suppression.ts";
import type { Command, CommandOption } from "../command.ts";

/** As EXPORT_FORMATS of app/suppressions, which the declarations do not load. */
const FORMATS = ["csv", "ndjson"] as const;

const CAUSE: CommandOption = {
  type: "string",
  usage: "[--cause CAUSE]",
  values: SET_CAUSES,
  summary: `${SET_CAUSES.slice(0, -1).join(", ")} or ${SET_CAUSES.at(-1)}; manual unless given`,
};
const UNTIL: CommandOption = {
  type: "string",
  usage: "[--until TIME]",
  summary: "the end: a time such as 2027-03-01T10:00:00Z, or 30d from now; until it is removed unless given",
};
const ONLY_CAUSE: CommandOption = {
  type: "string",
  usage: "[--cause CAUSE]",
  values: SUPPRESSION_CAUSES,
  summary: `only this cause: ${SUPPRESSION_CAUSES.join(", ")}`,
};
const SEARCH: CommandOption = {
  type: "string",
  usage: "[--search TEXT]",
  summary: "only addresses with this part",
};

export const suppressionCommands: Command[] = [
  {
    usage: "suppressions list",
    summary: "suppressed addresses, and the cause of each",
    options: {
      cause: ONLY_CAUSE,
      search: SEARCH,
      limit: { type: "string", usage: "[--limit NUMBER]", summary: "at most 10000; 1000 unless given" },
    },
    examples: ["suppressions list", "suppressions list --cause complaint --search @example.org --limit 20"],
    load: async () => (await import("../suppressions.ts")).listSuppressionsCommand,
  },
  {
    usage: "suppressions add EMAIL…",
    summary: "suppress addresses, from the next message on",
    details: `An address that is suppressed already keeps the stronger cause: complaint, unsubscribed, manual, bounce in this order. The end of
the same cause is replaced; of two causes, the later end counts.`,
    options: { cause: CAUSE, until: UNTIL },
    examples: ["suppressions add ann@example.org bob@example.org", "suppressions add ann@example.org --until 30d"],
    load: async () => (await import("../suppressions.ts")).addSuppressionsCommand,
  },
  {
    usage: "suppressions import FILE",
    input: ({ positionals: [file = ""] }) => file,
    summary: "add the addresses of a file; - reads standard input",
    details: `The form is recognised by the columns: CSV or JSON of Postmark, Amazon SES, SendGrid, Resend or "suppressions export", or one address
a line. Invalid addresses are named, and the others added. --cause and --until replace what the file has.`,
    options: {
      cause: { ...CAUSE, summary: `instead of the causes in the file: ${SET_CAUSES.join(", ")}` },
      until: {
        ...UNTIL,
        summary: "instead of the ends in the file: a time such as 2027-03-01T10:00:00Z, or 30d from now",
      },
      "dry-run": { type: "boolean", usage: "[--dry-run]", summary: "read and count, and add nothing" },
    },
    examples: [
      "suppressions import bounces.csv --dry-run",
      "suppressions import - --cause unsubscribed < addresses.txt",
    ],
    load: async () => (await import("../suppression-files.ts")).importSuppressionsCommand,
  },
  {
    usage: "suppressions export",
    summary: "print all suppressed addresses as CSV, or as JSON lines",
    options: {
      format: {
        type: "string",
        usage: "[--format FORMAT]",
        values: FORMATS,
        summary: "csv or ndjson; csv unless given",
      },
      cause: ONLY_CAUSE,
      search: SEARCH,
    },
    examples: ["suppressions export > suppressions.csv", "suppressions export --format ndjson --cause manual"],
    load: async () => (await import("../suppression-files.ts")).exportSuppressionsCommand,
  },
  {
    usage: "suppressions test EMAIL",
    summary: "whether an address is suppressed, by what and until when",
    examples: ["suppressions test ann@example.org"],
    load: async () => (await import("../suppressions.ts")).testSuppressionCommand,
  },
  {
    usage: "suppressions remove EMAIL",
    summary: "allow an address again, from the next message on",
    examples: ["suppressions remove ann@example.org"],
    load: async () => (await import("../suppressions.ts")).removeSuppressionCommand,
  },
];
