/** Suggestions for words with typing errors. */

/**
 * The candidate that was most likely meant; null if none is close. One error is allowed for each three letters, and an unfinished
 * word counts as close if only one candidate begins with it.
 */
export function closestWord(typed: string, candidates: readonly string[]): string | null {
  const word = typed.toLowerCase();
  const errorsMax = Math.max(1, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, errors: distance(word, candidate.toLowerCase()) }))
    .filter(({ candidate, errors }) => errors <= errorsMax && errors < candidate.length)
    .sort((a, b) => a.errors - b.errors);
  const begun = candidates.filter((candidate) => word.length >= 2 && candidate.startsWith(word));
  return ranked[0]?.candidate ?? (begun.length === 1 ? (begun[0] ?? null) : null);
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substituted, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
