/** Compares what was counted on both sides of a copy. */

import type { SourceCount } from "../engine/sqlite/copy/copy-counts.ts";
import type { CopiedCount } from "../port/spool-copy.ts";

export interface CompareOptions {
  /** What the copy has added, by the name of the count. */
  added: Readonly<Record<string, number>>;
  /** Whether rows of a table of the source could not be read, which is reported by itself. */
  isDamaged: (table: string) => boolean;
}

/** A count differs only if everything that it depends on could be read. */
export function compareCounts(
  source: ReadonlyMap<string, SourceCount>,
  target: ReadonlyMap<string, number>,
  { added, isDamaged }: CompareOptions,
): CopiedCount[] {
  const counts = [...source].map(([name, { count, tables }]) => {
    const expected = count === null ? null : count + (added[name] ?? 0);
    const copied = target.get(name) ?? 0;
    const isExact = expected !== null && !tables.some(isDamaged);
    return { name, source: expected, target: copied, differs: isExact && expected !== copied };
  });
  return [...counts, ...onlyInTarget(source, target, isDamaged)];
}

/** Accounts with events in the target alone. In the source there are none, or they cannot be counted. */
function onlyInTarget(
  source: ReadonlyMap<string, SourceCount>,
  target: ReadonlyMap<string, number>,
  isDamaged: (table: string) => boolean,
): CopiedCount[] {
  const none = isDamaged("events") ? null : 0;
  return [...target]
    .filter(([name]) => !source.has(name))
    .map(([name, count]) => ({ name, source: none, target: count, differs: none !== null }));
}
