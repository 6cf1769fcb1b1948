/**
 * Where a published record differs from the expected one: both cut into words, the longest common run of words kept,
 * the rest marked. Decides nothing about what matters; the check's own sentence does.
 */

export interface DiffPart {
  text: string;
  differs: boolean;
}

/** Longer records are compared at their ends only. */
const WORDS_MAX = 200;

/** The found text, with what the expected one does not have marked; and the expected one likewise. */
export function difference(expected: string, found: string): { expected: DiffPart[]; found: DiffPart[] } {
  const [a, b] = [wordsOf(expected), wordsOf(found)];
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) return atTheEnds(expected, found);
  const [keepA, keepB] = commonWords(a, b);
  return { expected: joined(a, keepA), found: joined(b, keepB) };
}

function wordsOf(text: string): string[] {
  // Long words such as keys are cut up, so that one wrong character does not mark them all.
  return text.match(/\s+|[;=:,.]|[^\s;=:,.]{1,16}/g) ?? [];
}

/** For each word whether it is in the longest common subsequence. */
function commonWords(a: string[], b: string[]): [boolean[], boolean[]] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const keepA = a.map(() => false);
  const keepB = b.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      keepA[i] = true;
      keepB[j] = true;
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return [keepA, keepB];
}

function joined(words: string[], keep: boolean[]): DiffPart[] {
  const pieces: DiffPart[] = [];
  for (const [i, text] of words.entries()) {
    const last = pieces.at(-1);
    const differs = keep[i] !== true;
    if (last !== undefined && last.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  }
  return pieces;
}

function atTheEnds(expected: string, found: string): { expected: DiffPart[]; found: DiffPart[] } {
  const shorter = Math.min(expected.length, found.length);
  let start = 0;
  while (start < shorter && expected[start] === found[start]) start += 1;
  let end = 0;
  while (end < shorter - start && expected.at(-1 - end) === found.at(-1 - end)) end += 1;
  const cut = (text: string): DiffPart[] =>
    [
      { text: text.slice(0, start), differs: false },
      { text: text.slice(start, text.length - end), differs: true },
      { text: text.slice(text.length - end), differs: false },
    ].filter((piece) => piece.text !== "");
  return { expected: cut(expected), found: cut(found) };
}
