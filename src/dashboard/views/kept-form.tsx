/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A form of an ended session on the page that shows it again: finds it among the page's forms, and gives its fields the values that
 * were typed. Which values are kept is decided in auth/kept-form.ts.
 */
import { createContext, type InputHTMLAttributes } from "preact";
import { useContext } from "preact/hooks";
import type { KeptForm } from "../auth/kept-form.ts";

/** The hidden fields that tell the forms of a list apart, one form for each entry. */
export type Entry = Readonly<Record<string, string>>;

/** A kept form while its page is rendered. It is shown once: in the first form that it fits. */
export class KeptFormOnPage {
  readonly form: Pick<KeptForm, "action" | "fields">;
  #isShown = false;

  constructor(form: Pick<KeptForm, "action" | "fields">) {
    this.form = form;
  }

  /** Whether a form of the page has taken the values. */
  get isShown(): boolean {
    return this.#isShown;
  }

  isSentTo(action: string): boolean {
    return this.form.action === action;
  }

  /** Returns the typed values for a form with this action; null if it is another form. */
  take(action: string, entry: Entry): URLSearchParams | null {
    const { fields } = this.form;
    const isOfEntry = fields.every(([name, value]) => entry[name] === undefined || entry[name] === value);
    if (this.#isShown || !this.isSentTo(action) || !isOfEntry) return null;
    this.#isShown = true;
    return new URLSearchParams(fields.map(([name, value]) => [name, value]));
  }
}

export const KeptFormContext = createContext<KeptFormOnPage | null>(null);

/** The values that were typed into the form around; null in any other form. */
export const TypedValuesContext = createContext<URLSearchParams | null>(null);

/** Whether the page shows a kept form that is sent to the path. The details around that form are then open. */
export const useIsKept = (action: string): boolean => useContext(KeptFormContext)?.isSentTo(action) ?? false;

/** The value that was typed into the field; undefined if its form is not a kept one, or had no such field. */
export const useTypedValue = (name: string): string | undefined =>
  useContext(TypedValuesContext)?.get(name) ?? undefined;

/** An input with the value that was typed into it. A password or a code is never put back, even if one was kept. */
export function Input(props: InputHTMLAttributes<HTMLInputElement>) {
  const typed = useContext(TypedValuesContext);
  const { name, type, value } = props;
  const isSecret = type === "password" || props.autoComplete === "one-time-code";
  if (typed === null || name === undefined || isSecret) return <input {...props} />;
  if (type === "checkbox" || type === "radio") {
    return <input {...props} checked={typed.getAll(String(name)).includes(String(value))} />;
  }
  return <input {...props} value={typed.get(String(name)) ?? value} />;
}
