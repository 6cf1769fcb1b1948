/** Reads the table of records of a domain's page. */
import type { ZoneType } from "../../../src/testing/zone-server.ts";

export interface RecordRow {
  /** Such as `check-spf`. */
  id: string;
  type: ZoneType;
  name: string;
  /** As a zone has it, with the priority. */
  value: string;
  /** What the Copy buttons of the row copy. */
  copies: string[];
  /** The row and what the check found. */
  html: string;
}

export function recordRows(page: string): RecordRow[] {
  return [...page.matchAll(/<tbody class="record [^"]*" id="([^"]*)">(.*?)<\/tbody>/gs)].map(
    ([, id = "", html = ""]) => {
      const copies = [...html.matchAll(/<div class="copyable"><code>(.*?)<\/code>/gs)].map(([, text = ""]) => text);
      const [name = "", , ...value] = copies;
      const [, type = ""] = /<code>(\w+)<\/code>/.exec(html) ?? [];
      return { id, type: type as ZoneType, name, value: value.join(" "), copies, html };
    },
  );
}
