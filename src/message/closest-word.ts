/**
 * Finds the known word that a misspelled one stands for. It is not a package's because the command line loads it at the start of each
 * command, which loads no package (test/cli.modules.test.ts).
 */

/**
 * The known word closest to `typed`, or null if none is close enough: one error is allowed, or one for each `divisor` letters of the
 * longer word. Upper and lower case are the same.
 */
export function closestWord<Known extends string>(typed: string, known: readonly Known[], divisor = 3): Known | null {
  const word = typed.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, errors: errorsIn(word, candidate.toLowerCase(), divisor) }))
    .filter(({ errors }) => errors !== Number.POSITIVE_INFINITY)
    .sort((one, other) => one.errors - other.errors);
  return ranked[0]?.candidate ?? null;
}

/** Returns infinity for more errors than are allowed. The cost is bounded by the length of `candidate`. */
function errorsIn(word: string, candidate: string, divisor: number): number {
  const length = Math.max(word.length, candidate.length);
  const errorsMax = Math.min(length - 1, Math.max(1, Math.floor(length / divisor)));
  if (Math.abs(word.length - candidate.length) > errorsMax) return Number.POSITIVE_INFINITY;
  const errors = editDistance(word, candidate);
  return errors <= errorsMax ? errors : Number.POSITIVE_INFINITY;
}

/** Insertions, deletions, substitutions and swaps of neighbors that turn `a` into `b` (optimal string alignment). */
function editDistance(a: string, b: string): number {
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
