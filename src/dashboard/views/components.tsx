/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pieces that pages are made of. Everything given to them is text: the renderer escapes it.
 */
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import type { Result } from "../../message/outcome.ts";
import { Icon } from "./icons.tsx";
import { RESULT_WORDS, relativeText, type Tone, timeText, type Word } from "./labels.ts";

export function Badge({ word }: { word: Word }) {
  return (
    <span class={`badge ${word.tone}`}>
      <Icon name={word.tone} />
      {word.text}
    </span>
  );
}

export const ResultBadge = ({ result }: { result: Result }) => <Badge word={RESULT_WORDS[result]} />;

/** A moment, relative to now; the exact time in UTC is its title. */
export function Ago({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={`${timeText(atMs)} UTC`}>
      {relativeText(atMs, nowMs)}
    </time>
  );
}

export function Moment({ atMs }: { atMs: number }) {
  return <time dateTime={new Date(atMs).toISOString()}>{timeText(atMs)}</time>;
}

/** A value to take elsewhere. Without scripts it is simply text that can be selected. */
export function Copyable({ text, label, block = false }: { text: string; label: string; block?: boolean }) {
  return (
    <div class={block ? "copyable block" : "copyable"}>
      {block ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{text}</pre>
      ) : (
        <code>{text}</code>
      )}
      <button type="button" class="small copy" data-copy={text} aria-label={`Copy ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}

export interface FormProps {
  action: string;
  formToken: string;
  children: ComponentChildren;
  class?: string;
}

/** A form that changes something, with its session's token. */
export function PostForm({ action, formToken, children, class: name = "" }: FormProps) {
  return (
    <form method="post" action={action} class={name}>
      <input type="hidden" name="form_token" value={formToken} />
      {children}
    </form>
  );
}

export interface FieldProps {
  label: string;
  name: string;
  /** For the second field of a name on a page. */
  id?: string;
  type?: "text" | "email" | "password" | "datetime-local";
  value?: string | undefined;
  hint?: string;
  error?: string | undefined;
  required?: boolean;
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: "numeric" | "email" | "text";
  placeholder?: string;
  maxLength?: number;
}

export function Field({ label, name, id = `field-${name}`, hint, error, type = "text", ...input }: FieldProps) {
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const attributes = {
    id,
    name,
    type,
    ...input,
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(error === undefined ? {} : { "aria-invalid": "true" }),
  } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...attributes} />
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          <Icon name="bad" />
          {error}
        </p>
      )}
    </div>
  );
}

export interface Option {
  value: string;
  text: string;
}

export function Choice(props: { label: string; name: string; value: string; options: Option[] }) {
  const id = `field-${props.name}`;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select id={id} name={props.name}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A sentence on what was just done, or went wrong. */
export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={tone} />
      <div>{children}</div>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A table that scrolls sideways where the screen is narrow. */
export function Table(props: { label: string; head: string[]; children: ComponentChildren; class?: string }) {
  const { label, head, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={`table ${props.class ?? ""}`} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
