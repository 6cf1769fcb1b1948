/**
 * Fills a form of a rendered page with what was typed into it before. It reads HTML as views/ render it: attributes are in double
 * quotes, and their values are escaped. Passwords, codes and hidden fields stay as they are in the page.
 */

export interface TypedForm {
  /** The path that the form is sent to. */
  action: string;
  fields: readonly [name: string, value: string][];
}

const ATTRIBUTES = String.raw`((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*`;
const FORM = new RegExp(`<form${ATTRIBUTES}>((?:(?!<form).)*?)</form>`, "gs");
const INPUT = new RegExp(`<input${ATTRIBUTES}/?>`, "g");
const TEXT_AREA = new RegExp(`<textarea${ATTRIBUTES}>[^<]*</textarea>`, "g");
const SELECT = new RegExp(`<select${ATTRIBUTES}>((?:(?!<select).)*?)</select>`, "gs");
const OPTION = new RegExp(`<option${ATTRIBUTES}>`, "g");

const UNCHANGED: ReadonlySet<string> = new Set(["hidden", "password", "file", "submit", "button"]);

/** Returns the page with `notice` at the beginning of the form; null if the page has no such form. */
export function refilledForm(html: string, typed: TypedForm, notice: string): string | null {
  const forms = [...html.matchAll(FORM)].filter(
    ([, attributes = ""]) => attribute(attributes, "action") === typed.action,
  );
  // A list has a form for each entry, which its hidden fields tell apart. If the entry is gone, the form of another one must not be filled in.
  const matching = forms.find(([, , content = ""]) => hiddenFieldsMatch(content, typed));
  const form = matching ?? (forms.length === 1 ? forms[0] : undefined);
  if (form === undefined) return null;
  const [whole, attributes = "", content = ""] = form;
  const filled = `<form${attributes} data-kept="yes">${notice}${fill(content, typed)}</form>`;
  const before = withOpenDetails(html.slice(0, form.index));
  return `${before}${filled}${html.slice(form.index + whole.length)}`;
}

function fill(content: string, { fields }: TypedForm): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
  const valuesOf = (attributes: string): string[] => values.get(attribute(attributes, "name") ?? "") ?? [];
  return content
    .replace(INPUT, (whole, attributes: string) => {
      const filled = filledInput(attributes, valuesOf(attributes));
      return filled === null ? whole : `<input${filled}>`;
    })
    .replace(TEXT_AREA, (whole, attributes: string) => {
      const text = valuesOf(attributes).shift();
      // A parser drops a line break that follows the tag.
      return text === undefined ? whole : `<textarea${attributes}>\n${escaped(text)}</textarea>`;
    })
    .replace(SELECT, (whole, attributes: string, options: string) => {
      const chosen = valuesOf(attributes);
      return chosen.length === 0 ? whole : `<select${attributes}>${withChosen(options, chosen)}</select>`;
    });
}

/** Returns the attributes; null where they stay. */
function filledInput(attributes: string, values: string[]): string | null {
  const type = attribute(attributes, "type") ?? "text";
  if (UNCHANGED.has(type) || attribute(attributes, "autocomplete") === "one-time-code") return null;
  if (type === "checkbox" || type === "radio") {
    const isChecked = values.includes(attribute(attributes, "value") ?? "on");
    return `${without(attributes, "checked")}${isChecked ? " checked" : ""}`;
  }
  const value = values.shift();
  return value === undefined ? null : `${without(attributes, "value")} value="${escaped(value)}"`;
}

function withChosen(options: string, chosen: readonly string[]): string {
  return options.replace(OPTION, (_, attributes: string) => {
    const isChosen = chosen.includes(attribute(attributes, "value") ?? "");
    return `<option${without(attributes, "selected")}${isChosen ? " selected" : ""}>`;
  });
}

function hiddenFieldsMatch(content: string, { fields }: TypedForm): boolean {
  return [...content.matchAll(INPUT)].every(([, attributes = ""]) => {
    const name = attribute(attributes, "name");
    const typed = fields.filter(([each]) => each === name);
    if (attribute(attributes, "type") !== "hidden" || typed.length === 0) return true;
    return typed.some(([, value]) => value === attribute(attributes, "value"));
  });
}

/** Opens the details that the end of `html` is inside of. */
function withOpenDetails(html: string): string {
  const start = html.lastIndexOf("<details");
  return start <= html.lastIndexOf("</details>")
    ? html
    : `${html.slice(0, start)}<details open${html.slice(start + 8)}`;
}

const ATTRIBUTE = /\s([\w:-]+)(?:="([^"]*)")?/g;

/** Returns the value of an attribute, unescaped; "" for one without a value, undefined where there is none. */
function attribute(attributes: string, name: string): string | undefined {
  const found = [...attributes.matchAll(ATTRIBUTE)].find((match) => match[1] === name);
  return found === undefined ? undefined : unescaped(found[2] ?? "");
}

const without = (attributes: string, name: string): string =>
  attributes.replace(ATTRIBUTE, (whole, each: string) => (each === name ? "" : whole));

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
