/** The replies of the SMTP listeners, read from their source. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../support/program.ts";

const REPLY = /\b([2-5]\d\d),\s*[`"]([245]\.\d\.\d)\b/g;
/** A connection that is closed. */
const CLOSING = /closeWith\(\w+, "(4\.\d\.\d)\b/g;

/** Reply codes with enhanced status codes in folders of src/. */
export function repliesInSource(...folders: string[]): Set<string> {
  const sources = folders.flatMap((folder) => {
    const dir = join(CHECKOUT, "src", folder);
    return readdirSync(dir).map((name) => readFileSync(join(dir, name), "utf8"));
  });
  return new Set(
    sources.flatMap((source) => [
      ...[...source.matchAll(REPLY)].map(([, code, status]) => `${code} ${status}`),
      ...[...source.matchAll(CLOSING)].map(([, status]) => `421 ${status}`),
    ]),
  );
}
