/** Exports the suppression list of an account, page by page, in the form that an import reads again. */
import { rfc3339 } from "../../lib/clock.ts";
import { csvRecord } from "../../lib/csv.ts";
import type { SuppressedAddress, SuppressionPosition, Suppressions } from "../../spool/port/suppressions.ts";
import type { ListRequest } from "./suppression-list.ts";

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = ["email", "cause", "since", "until"];
const PAGE_ADDRESSES = 1000;

type ExportRequest = Omit<ListRequest, "limit" | "cursor"> & { format: ExportFormat };

/** Yields the export in parts. Rejects as `suppressions` of the port does. */
export async function* exportSuppressions(
  store: Pick<Suppressions, "suppressions">,
  { format, suppressAfter: after, ...filter }: ExportRequest,
): AsyncGenerator<string, void> {
  const record = format === "csv" ? csvOf : jsonOf;
  if (format === "csv") yield csvRecord(COLUMNS);
  let at: { position?: SuppressionPosition } = {};
  for (;;) {
    const { addresses, next } = await store.suppressions({ ...filter, after, ...at, limit: PAGE_ADDRESSES });
    if (addresses.length > 0) yield addresses.map(record).join("");
    if (next === null) return;
    at = { position: next };
  }
}

function valuesOf({ email, cause, sinceMs, untilMs }: SuppressedAddress) {
  return { email, cause, since: rfc3339(sinceMs), until: untilMs === null ? null : rfc3339(untilMs) };
}

const csvOf = (address: SuppressedAddress): string => csvRecord(Object.values(valuesOf(address)));
const jsonOf = (address: SuppressedAddress): string => `${JSON.stringify(valuesOf(address))}\n`;
