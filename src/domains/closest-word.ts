/** Finds the intended word for a misspelled one, by edit distance. */

const WORD_LENGTH_MAX = 20;

/**
 * The known word closest to `word`, or null when none is close enough: one letter, or one in `divisor` of the longer word's
 * letters, may differ.
 */
export function closestWord<Known extends string>(word: string, known: readonly Known[], divisor = 3): Known | null {
  const input = word.toLowerCase();
  if (input === "" || input.length > WORD_LENGTH_MAX) return null;
  const ranked = known
    .map((candidate) => ({ candidate, distance: levenshtein(input, candidate) }))
    .filter(({ candidate, distance }) => {
      const length = Math.max(input.length, candidate.length);
      return distance <= Math.max(1, Math.floor(length / divisor)) && distance < length;
    })
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.candidate ?? null;
}

function levenshtein(one: string, other: string): number {
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
