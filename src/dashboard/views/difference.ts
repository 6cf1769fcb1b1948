/**
 * Marks where a published record differs from the expected one. Which differences matter is decided by the check.
 */
import { type ChangeObject, diffArrays } from "diff";

export interface DiffPart {
  text: string;
  differs: boolean;
}

/** Edits beyond which both texts are marked as a whole: the time grows with the square of their number. */
const EDITS_MAX = 400;

/** Splits both texts into parts, and marks those that the other text does not have. */
export function difference(expected: string, found: string): { expected: DiffPart[]; found: DiffPart[] } {
  const changes = diffArrays(wordsOf(expected), wordsOf(found), { maxEditLength: EDITS_MAX });
  if (changes === undefined) return { expected: allOf(expected), found: allOf(found) };
  return {
    expected: changes.filter(({ added }) => !added).map(partOf),
    found: changes.filter(({ removed }) => !removed).map(partOf),
  };
}

const allOf = (text: string): DiffPart[] => [{ text, differs: true }];

const partOf = ({ value, added, removed }: ChangeObject<string[]>): DiffPart => ({
  text: value.join(""),
  differs: added || removed,
});

function wordsOf(text: string): string[] {
  // Long words such as keys are split, so that one wrong character does not mark all of it.
  return text.match(/\s+|[;=:,.]|[^\s;=:,.]{1,16}/g) ?? [];
}
