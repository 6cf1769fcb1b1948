/** Comments in a structured header field (RFC 5322 §3.2.2): text in parentheses, which may be nested, and is no part of an address. */

export interface Piece {
  /** As written; a comment with its parentheses. */
  text: string;
  isComment: boolean;
}

/** Splits an unfolded value into its comments and what is between them. Null if a comment or a quoted string does not end. */
export function splitComments(value: string): Piece[] | null {
  if (!value.includes("(")) return [{ text: value, isComment: false }];
  const pieces: Piece[] = [];
  let from = 0;
  let depth = 0;
  let isQuoted = false;
  const end = (to: number, isComment: boolean): void => {
    if (to > from) pieces.push({ text: value.slice(from, to), isComment });
    from = to;
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] as string;
    if (character === "\\" && (isQuoted || depth > 0)) at += 1;
    else if (isQuoted) isQuoted = character !== '"';
    else if (character === "(") {
      if (depth === 0) end(at, false);
      depth += 1;
    } else if (character === ")" && depth > 0) {
      depth -= 1;
      if (depth === 0) end(at + 1, true);
    } else if (character === '"' && depth === 0) isQuoted = true;
  }
  end(value.length, false);
  return depth > 0 || isQuoted ? null : pieces;
}
