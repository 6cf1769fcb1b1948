/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A part of a form that selects all of something, future ones included, or some.
 */
import type { Context } from "koa";
import { field, fields } from "../web/form.ts";
import type { Option } from "./components.tsx";
import { Icon } from "./icons.tsx";
import { Input } from "./kept-form.tsx";

/** Reads the submitted values; null: everything. */
export const readChoice = (ctx: Context, name: string): string[] | null =>
  field(ctx, `all_${name}`) === "no" ? fields(ctx, name) : null;

/** Returns the options for domains: those of the account, and the selected ones that were removed. */
export function domainOptions(domains: readonly string[], selected: readonly string[] | null): Option[] {
  const removed = (selected ?? []).filter((name) => !domains.includes(name));
  return [
    ...domains.map((name) => ({ value: name, text: name })),
    ...removed.map((name) => ({ value: name, text: `${name} (removed)` })),
  ];
}

interface ChoiceProps {
  legend: string;
  name: string;
  /** The text of the choice that selects everything. */
  all: string;
  hint?: string;
  options: Option[];
  /** Null: everything. */
  selected: readonly string[] | null;
  error: string | undefined;
}

/** All or some; readChoice reads it. The style sheet hides the check boxes while all are chosen. */
export function Choice({ legend, name, all, hint, options, selected, error }: ChoiceProps) {
  const errorId = `field-${name}-error`;
  return (
    <fieldset class="choice" {...(error === undefined ? {} : { "aria-describedby": errorId })}>
      <legend>{legend}</legend>
      <label class="check-box">
        <Input type="radio" name={`all_${name}`} value="yes" checked={selected === null} /> {all}
      </label>
      <label class="check-box">
        <Input type="radio" name={`all_${name}`} value="no" checked={selected !== null} /> Only these:
      </label>
      <div class="choice-options">
        {hint === undefined ? null : <p class="hint">{hint}</p>}
        {options.length === 0 ? <p class="quiet">None yet.</p> : null}
        {options.map(({ value, text }) => (
          <label key={value} class="check-box">
            <Input type="checkbox" name={name} value={value} checked={selected?.includes(value) ?? false} /> {text}
          </label>
        ))}
      </div>
      {error === undefined ? null : (
        <p class="error" id={errorId}>
          <Icon name="bad" />
          {error}
        </p>
      )}
    </fieldset>
  );
}
