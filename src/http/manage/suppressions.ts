/** Suppressed addresses: list, add, test, remove, import, export. */
import { addSuppressions, ENTRIES_MAX, importSuppressions } from "../../app/suppressions/add-suppressions.ts";
import { EXPORT_FORMATS, type ExportFormat, exportSuppressions } from "../../app/suppressions/export-suppressions.ts";
import { listSuppressions, removeSuppression, testAddress } from "../../app/suppressions/suppression-list.ts";
import { suppressionView } from "../../app/suppressions/suppression-view.ts";
import {
  SET_CAUSES,
  type SetCause,
  SUPPRESSION_CAUSES,
  type SuppressionCause,
} from "../../message/result/suppression.ts";
import { invalidQuery } from "../request/query.ts";
import { Problem } from "../response/problems.ts";
import { arrayOf, object, oneOf, time } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { SUPPRESSION } from "./examples.ts";
import type { ManageRequest, Operation } from "./operation.ts";
import { limitOf, PAGE_QUERY } from "./page.ts";
import { Streamed } from "./streamed.ts";

const SHARED = { permission: "manage", tag: "suppressions" } as const;

const listOf = ({ account, parts, nowMs }: ManageRequest) => ({
  accountId: account.id,
  suppressAfter: parts.sending.suppressAfter,
  nowMs,
});

const filterOf = ({ query: { cause, search } }: ManageRequest) => ({
  ...(cause === undefined ? {} : { cause: cause as SuppressionCause }),
  ...(search === undefined ? {} : { search: String(search) }),
});

async function list(request: ManageRequest): Promise<unknown> {
  const { after } = request.query;
  const page = await listSuppressions(request.parts.store, {
    ...listOf(request),
    ...filterOf(request),
    limit: limitOf(request),
    ...(after === undefined ? {} : { cursor: String(after) }),
  });
  if (page === "invalid_cursor")
    throw invalidQuery([{ field: "after", detail: `Must be ${PAGE_QUERY.after.description}.` }]);
  return { data: page.data.map(suppressionView), next: page.next };
}

/** Throws the 400 problem for an end that has passed. */
function endOf(until: string | number | undefined, nowMs: number): number | null {
  if (until === undefined) return null;
  const untilMs = Date.parse(String(until));
  if (untilMs <= nowMs) throw invalidBody([{ field: "until", detail: "This is in the past." }]);
  return untilMs;
}

async function add({ parts: { store }, account, body, nowMs }: ManageRequest): Promise<unknown> {
  const { emails, cause, until } = body as { emails: string[]; cause?: SetCause; until?: string };
  const untilMs = endOf(until, nowMs);
  const request = { accountId: account.id, entries: emails, untilMs, nowMs, ...(cause === undefined ? {} : { cause }) };
  const { added, changed, already, invalid, faults } = await addSuppressions(store, request);
  return { added, changed, already, invalid, faults };
}

async function test(request: ManageRequest): Promise<unknown> {
  const { email = "" } = request.params;
  const found = await testAddress(request.parts.store, { ...listOf(request), email });
  if (found === null) throw new Problem("not_found", "This address is not suppressed.");
  return suppressionView(found);
}

async function remove({ parts: { store }, account, params: { email = "" } }: ManageRequest): Promise<void> {
  if (await removeSuppression(store, { accountId: account.id, email })) return;
  throw new Problem("not_found", "This address is not suppressed, and has no refusals.");
}

async function importAll({ parts: { store }, account, stream, query, nowMs }: ManageRequest): Promise<unknown> {
  const { cause, until, dry_run: isDryRun } = query;
  const untilMs = endOf(until, nowMs);
  const result = await importSuppressions(store, stream, {
    accountId: account.id,
    nowMs,
    isDryRun: isDryRun === "true",
    ...(cause === undefined ? {} : { cause: cause as SetCause }),
    ...(untilMs === null ? {} : { untilMs }),
  });
  const { added, changed, already, invalid, faults, format, stopped } = result;
  return { added, changed, already, invalid, faults, format, stopped };
}

const TYPES: Readonly<Record<ExportFormat, string>> = { csv: "text/csv", ndjson: "application/x-ndjson" };

async function exportAll(request: ManageRequest): Promise<Streamed> {
  const format = (request.query.format ?? "csv") as ExportFormat;
  const parts = exportSuppressions(request.parts.store, { ...listOf(request), ...filterOf(request), format });
  return new Streamed(TYPES[format], parts);
}

const FILTER_QUERY = {
  cause: { type: "string", enum: SUPPRESSION_CAUSES, description: `the cause: ${SUPPRESSION_CAUSES.join(", ")}` },
  search: { type: "string", minLength: 1, maxLength: 320, description: "a part of the address" },
} as const;

const CAUSE = oneOf(SET_CAUSES, "Why; `manual` if absent.");
const ADDED = { added: 2, changed: 0, already: 1, invalid: 0, faults: [] };
const CSV = "email,cause,since,until\r\nann@example.org,bounce,2026-03-02T08:30:00.000Z,\r\n";

export const SUPPRESSION_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "listSuppressions",
    method: "GET",
    path: "/suppressions",
    summary: "List the suppressed addresses: first those with a set cause, the newest first",
    description: "A page of a search may have no addresses and be followed by another.",
    query: { ...PAGE_QUERY, ...FILTER_QUERY },
    status: 200,
    response: { schema: "SuppressionList", example: { data: [SUPPRESSION], next: null } },
    run: list,
  },
  {
    ...SHARED,
    id: "addSuppressions",
    method: "POST",
    path: "/suppressions",
    summary: `Suppress up to ${ENTRIES_MAX} addresses`,
    description:
      "An address that is suppressed already keeps the stronger cause: `complaint`, `unsubscribed`, `manual`, `bounce`. Of the same cause, the new end counts.",
    body: object(
      {
        emails: {
          ...arrayOf({ type: "string", maxLength: 1000 }, "The addresses."),
          minItems: 1,
          maxItems: ENTRIES_MAX,
        },
      },
      {},
      { cause: CAUSE, until: time("When they end; never if absent.") },
    ),
    bodyBytesMax: 1024 * 1024,
    bodyExample: { emails: ["ann@example.org", "ben@example.org"], cause: "manual" },
    status: 200,
    response: { schema: "AddedSuppressions", example: ADDED },
    run: add,
  },
  {
    ...SHARED,
    id: "getSuppression",
    method: "GET",
    path: "/suppressions/{email}",
    summary: "Test whether an address is suppressed, and why",
    status: 200,
    response: { schema: "Suppression", example: SUPPRESSION },
    problems: ["not_found"],
    run: test,
  },
  {
    ...SHARED,
    id: "removeSuppression",
    method: "DELETE",
    path: "/suppressions/{email}",
    summary: "Allow an address again, and delete its refusals",
    status: 204,
    problems: ["not_found"],
    run: remove,
  },
  {
    ...SHARED,
    id: "importSuppressions",
    method: "POST",
    path: "/suppression-imports",
    summary: "Import suppressed addresses from a file",
    description:
      "The exports of Postmark, Amazon SES, SendGrid, Resend and Postrider are recognised by their columns; a list of one address a line too. `stopped` says why a file was not read to its end.",
    query: {
      cause: { type: "string", enum: SET_CAUSES, description: "the cause of all; that of the file if absent" },
      until: {
        type: "string",
        format: "date-time",
        maxLength: 40,
        description: "when all end; as the file says if absent",
      },
      dry_run: { type: "string", enum: ["true", "false"], description: "true: nothing is added" },
    },
    slot: "import",
    accepts: ["text/csv", "application/x-ndjson", "text/plain", "application/json"],
    bodyExample: CSV,
    status: 200,
    response: { schema: "ImportedSuppressions", example: { ...ADDED, format: "postrider", stopped: null } },
    run: importAll,
  },
  {
    ...SHARED,
    id: "exportSuppressions",
    method: "GET",
    path: "/suppression-exports",
    summary: "Export the suppressed addresses, as CSV or NDJSON",
    query: {
      ...FILTER_QUERY,
      format: { type: "string", enum: EXPORT_FORMATS, description: "csv or ndjson; csv if absent" },
    },
    status: 200,
    slot: "export",
    streams: [
      { type: TYPES.csv, example: CSV },
      {
        type: TYPES.ndjson,
        example: '{"email":"ann@example.org","cause":"bounce","since":"2026-03-02T08:30:00.000Z","until":null}\n',
      },
    ],
    run: exportAll,
  },
];
