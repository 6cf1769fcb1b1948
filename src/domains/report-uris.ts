/** Changes lists of the addresses that DMARC reports are sent to. dmarc/report-uri.ts decides which are valid. */
import { isReportUri } from "../dmarc/report-uri.ts";
import { trimEndOf } from "../lib/trim-end.ts";

/** The usable addresses of a list, without duplicates: `a@b` becomes `mailto:a@b`. Null where none is usable. */
export function repairUris(list: string): string | null {
  const uris = list.split(/[,\s]+/).map((uri) => `mailto:${uri.replace(/[<>]/g, "").replace(/^mail-?to[:=]\/*/i, "")}`);
  const usable = [...new Set(uris.filter(isReportUri))];
  return usable.length === 0 ? null : usable.join(",");
}

/** Whether a list of addresses (the value of rua=) has this one, with or without a size limit. */
export function listsReportUri(list: string, uri: string): boolean {
  return list.split(",").some((listed) => listed.trim().toLowerCase().split("!")[0] === uri.toLowerCase());
}

/** Adds an address to the rua= of a DMARC record, after those that are there. */
export function withReportUri(record: string, uri: string): string {
  const parts = trimEndOf(record, "; \t\r\n").split(";");
  const rua = parts.findIndex((part) => /^\s*rua\s*=/i.test(part));
  if (rua === -1) return [...parts, ` rua=${uri}`].join(";");
  return parts.map((part, i) => (i === rua ? `${part.trimEnd()},${uri}` : part)).join(";");
}
