/**
 * The word that somebody meant.
 * Decides on nearness only; whether a wrong word matters is left to the checks.
 */

const WORD_MAX = 20;

/**
 * The known word nearest to `word` by edit distance, or null when none is near enough to name it: one letter, or a
 * `share`-th of the longer word, may differ.
 */
export function nearest<Known extends string>(word: string, known: readonly Known[], share = 3): Known | null {
  const typed = word.toLowerCase();
  if (typed === "" || typed.length > WORD_MAX) return null;
  const ranked = known
    .map((right) => ({ right, distance: distance(typed, right) }))
    .filter(({ right, distance }) => distance <= Math.max(1, Math.floor(Math.max(typed.length, right.length) / share)))
    .filter(({ right, distance }) => distance < Math.max(typed.length, right.length))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.right ?? null;
}

/** Levenshtein's distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let column = 1; column <= other.length; column++) {
      const changed = (row[column - 1] ?? 0) + (one[line - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
