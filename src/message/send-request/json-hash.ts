/** Hashes a JSON text piece by piece: the whole text would double the memory of the longest request. */
import { createHash } from "node:crypto";

/** UTF-16 code units converted at once. */
const PIECE_LENGTH = 16 * 1024;

/** Returns the SHA-256 (hex) of `JSON.stringify(values)`. Long strings in the list are hashed in pieces. No value may be undefined. */
export function jsonHash(values: readonly unknown[]): string {
  const hash = createHash("sha256");
  let pending = "[";
  for (const [index, value] of values.entries()) {
    if (index > 0) pending += ",";
    for (const piece of jsonPieces(value)) {
      pending += piece;
      if (pending.length < PIECE_LENGTH) continue;
      hash.update(pending);
      pending = "";
    }
  }
  return hash.update(`${pending}]`).digest("hex");
}

function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== "string" || value.length <= PIECE_LENGTH) {
    yield JSON.stringify(value);
    return;
  }
  yield '"';
  for (let from = 0; from < value.length; ) {
    const end = pieceEnd(value, from);
    yield JSON.stringify(value.slice(from, end)).slice(1, -1);
    from = end;
  }
  yield '"';
}

/** Never within a surrogate pair: JSON.stringify would escape each half. */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE_LENGTH;
  const isWithinPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isWithinPair ? end - 1 : end;
}
