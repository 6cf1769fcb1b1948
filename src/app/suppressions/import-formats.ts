/**
 * The forms of suppression lists that an import recognises by the names of their columns: those that other services export or return,
 * and our own. A value of a column that decides the cause is never guessed.
 *
 * Names are compared without case, spaces, hyphens and underscores: some services write them in one way to a file and in another in JSON.
 */
import { isTimestamp } from "../../lib/timestamp.ts";
import { SET_CAUSES, type SetCause } from "../../message/result/suppression.ts";

/** An entry as the file has it. `cause` is null if the file says nothing about it. */
export interface ImportedEntry {
  email: string;
  cause: SetCause | null;
  sinceMs: number | null;
  untilMs: number | null;
}

/** Returns the value of a column, "" if it is absent. */
type Values = (name: string) => string;

export interface ImportFormat {
  name: string;
  /** Reads a row. Returns what is wrong with it as a sentence. */
  read: (values: Values) => ImportedEntry | string;
}

interface KnownFormat extends ImportFormat {
  /** Of each list, one column must be there. */
  columns: readonly (readonly string[])[];
  /** All other columns that it may have; absent: any. */
  others?: readonly string[];
}

const ADDRESS = ["email", "emailaddress", "recipient"];

const entry = (values: Values, cause: SetCause | null, since: string): ImportedEntry => ({
  email: addressIn(values),
  cause,
  sinceMs: timeOf(since),
  untilMs: null,
});

const addressIn = (values: Values): string => ADDRESS.map(values).find((value) => value !== "") ?? "";

const unknownValue = (column: string, value: string, known: readonly string[]): string =>
  `${column} '${value.slice(0, 40)}' is none of ${known.join(", ")}`;

/** Reads a row whose cause is a value of a column. */
function byValue(column: string, causes: Readonly<Record<string, SetCause>>, since: string) {
  return (values: Values): ImportedEntry | string => {
    const value = values(column);
    const known = Object.keys(causes).find((each) => each.toLowerCase() === value.toLowerCase());
    if (known === undefined) return unknownValue(column, value, Object.keys(causes));
    return entry(values, causes[known] ?? null, values(since));
  };
}

const OWN_CAUSES = { ...Object.fromEntries(SET_CAUSES.map((cause) => [cause, cause])), refusals: "bounce" } as const;

const FORMATS: readonly KnownFormat[] = [
  {
    name: "Postrider",
    columns: [["email"], ["cause"]],
    read(values) {
      const read = byValue("cause", OWN_CAUSES, "since")(values);
      const until = values("until");
      if (typeof read === "string" || until === "") return read;
      const untilMs = timeOf(until);
      return untilMs === null ? `until '${until.slice(0, 40)}' is not a time` : { ...read, untilMs };
    },
  },
  {
    name: "Postmark",
    columns: [ADDRESS, ["suppressionreason"]],
    read(values) {
      const causes = { HardBounce: "bounce", SpamComplaint: "complaint", ManualSuppression: "manual" } as const;
      const read = byValue("suppressionreason", causes, "createdat")(values);
      // A recipient who has unsubscribed by the link is a manual suppression there.
      const isByRecipient = values("origin").toLowerCase() === "recipient";
      return typeof read !== "string" && read.cause === "manual" && isByRecipient
        ? { ...read, cause: "unsubscribed" }
        : read;
    },
  },
  {
    name: "Amazon SES",
    columns: [["emailaddress"], ["reason"]],
    read: byValue("reason", { BOUNCE: "bounce", COMPLAINT: "complaint" }, "lastupdatetime"),
  },
  {
    name: "Resend",
    columns: [["email"], ["origin"]],
    read: byValue("origin", { bounce: "bounce", complaint: "complaint", manual: "manual" }, "createdat"),
  },
  {
    name: "SendGrid group unsubscribes",
    columns: [["email"], ["groupid", "groupname"]],
    others: ["email", "groupid", "groupname", "created", "createdat"],
    read: (values) => entry(values, "unsubscribed", values("created") || values("createdat")),
  },
  {
    name: "SendGrid spam reports",
    columns: [["email"], ["created"], ["ip"]],
    others: ["email", "created", "ip"],
    read: (values) => entry(values, "complaint", values("created")),
  },
  {
    name: "SendGrid bounces",
    columns: [["email"], ["created"], ["reason"]],
    others: ["email", "created", "reason", "status"],
    read(values) {
      const status = values("status");
      if (status.startsWith("4")) return `status ${status.slice(0, 40)} is a temporary failure`;
      return entry(values, "bounce", values("created"));
    },
  },
  {
    name: "SendGrid unsubscribes",
    columns: [["email"], ["created"]],
    others: ["email", "created"],
    read: (values) => entry(values, "unsubscribed", values("created")),
  },
  { name: "list of addresses", columns: [ADDRESS], others: ADDRESS, read: (values) => entry(values, null, "") },
];

/** A file without a header: one address a line. */
export const PLAIN_LIST: ImportFormat = {
  name: "list of addresses",
  read: (values) => entry(values, null, ""),
};

/** Returns the name of a column in the form in which names are compared. */
export const columnName = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");

/** Returns the form that has these columns, named by columnName; null if none is known. */
export function formatOf(columns: readonly string[]): ImportFormat | null {
  return (
    FORMATS.find(
      ({ columns: needed, others }) =>
        needed.every((names) => names.some((name) => columns.includes(name))) &&
        (others === undefined || columns.every((name) => others.includes(name))),
    ) ?? null
  );
}

/** The columns of the known forms, for an error. */
export const EXPECTED_COLUMNS =
  "email,cause,since,until (Postrider); EmailAddress,SuppressionReason,Origin,CreatedAt (Postmark); EmailAddress,Reason,LastUpdateTime " +
  "(Amazon SES); email,created with reason,status or ip or group_id (SendGrid); email,origin,created_at (Resend); or one address a line";

const EPOCH_SECONDS = /^\d{1,11}(\.\d{1,9})?$/;

/** Parses a time: RFC 3339, or without a zone in UTC, or seconds since the epoch. Null for anything else. */
function timeOf(text: string): number | null {
  if (EPOCH_SECONDS.test(text)) return Math.round(Number(text) * 1000);
  if (text.length > 40) return null;
  const joined = text.replace(/ UTC$/, "Z").replace(" ", "T");
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(joined) ? joined.replace(/([+-]\d\d)(\d\d)$/, "$1:$2") : `${joined}Z`;
  return isTimestamp(zoned) ? Date.parse(zoned) : null;
}
