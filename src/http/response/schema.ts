/** Parts of JSON Schemas (2020-12). Each property has a description, as OpenAPI shows it. */

export type Schema = Readonly<Record<string, unknown>>;

/** An object with all of these members and any of the optional ones. */
export const object = (
  properties: Record<string, Schema>,
  more: Schema = {},
  optional: Record<string, Schema> = {},
): Schema => ({
  type: "object",
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
  ...more,
});
export const arrayOf = (items: Schema, description: string): Schema => ({ type: "array", items, description });
export const text = (description: string): Schema => ({ type: "string", description });
export const textOrNull = (description: string): Schema => ({ ...text(description), type: ["string", "null"] });
export const oneOf = (values: readonly string[], description: string): Schema => ({
  ...text(description),
  enum: values,
});
export const someOf = (values: readonly string[], description: string): Schema =>
  arrayOf({ type: "string", enum: values }, description);
/** Some client generators need the type besides `const`. */
export const only = (value: string, description: string): Schema => ({ ...text(description), const: value });
export const count = (description: string): Schema => ({ ...text(description), type: "integer", minimum: 0 });
export const countOrNull = (description: string): Schema => ({ ...count(description), type: ["integer", "null"] });
export const flag = (description: string): Schema => ({ ...text(description), type: "boolean" });
export const time = (description: string): Schema => ({ ...text(description), format: "date-time" });
export const timeOrNull = (description: string): Schema => ({ ...textOrNull(description), format: "date-time" });
export const ref = (name: string, description?: string): Schema => ({
  $ref: `#/components/schemas/${name}`,
  ...(description === undefined ? {} : { description }),
});
export const refOrNull = (name: string, description: string): Schema => ({
  anyOf: [ref(name), { type: "null" }],
  description,
});
