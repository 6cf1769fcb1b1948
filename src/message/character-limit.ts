/**
 * Length limits in characters (code points). A string's characters are counted only where its UTF-16 length does not decide.
 */
import { _, type Ajv } from "ajv";

/** Whether a text has more than `charactersMax` code points. */
export function isLongerThan(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false;
  // A code point has at most two UTF-16 code units.
  if (text.length > 2 * charactersMax) return true;
  let surplus = text.length - charactersMax;
  for (const character of text) surplus -= character.length - 1;
  return surplus > 0;
}

/** Replaces ajv's `maxLength`, which always counts the code points of the whole string. */
export function withCharacterLimits(ajv: Ajv): Ajv {
  ajv.removeKeyword("maxLength");
  return ajv.addKeyword({
    keyword: "maxLength",
    type: "string",
    schemaType: "number",
    compile: (charactersMax: number) => (text: string) => !isLongerThan(text, charactersMax),
    error: { message: "is too long", params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
  });
}
