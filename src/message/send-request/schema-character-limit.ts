/** The limits of a JSON Schema in characters, as character-limit.ts counts them. */
import { _, type Ajv } from "ajv";
import { isLongerThan } from "../character-limit.ts";

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
