/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The components that pages are built of. The renderer escapes all text in their properties.
 */
import { type ComponentChildren, Fragment, type InputHTMLAttributes } from "preact";
import { useContext } from "preact/hooks";
import type { Result } from "../../message/result/outcome.ts";
import { Icon } from "./icons.tsx";
import { type Entry, Input, KeptFormContext, TypedValuesContext, useTypedValue } from "./kept-form.tsx";
import { type Label, RESULT_LABELS, relativeText, type Tone, timeText } from "./labels.ts";
import { usePermission } from "./permissions.tsx";

export function Badge({ label }: { label: Label }) {
  return (
    <span class={`badge ${label.tone}`}>
      <Icon name={label.tone} />
      {label.text}
    </span>
  );
}

export const ResultBadge = ({ result }: { result: Result }) => <Badge label={RESULT_LABELS[result]} />;

/**
 * A time relative to now; the tooltip shows the exact time. With scripts, times.js keeps it up to date and adds the reader's local
 * time to the tooltip.
 */
export function RelativeTime({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={`${timeText(atMs)} UTC`} data-now={nowMs}>
      {relativeText(atMs, nowMs)}
    </time>
  );
}

/** An exact time in UTC. With scripts, times.js shows the reader's local time, with UTC as the tooltip. */
export function Timestamp({ atMs }: { atMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} data-local>
      {timeText(atMs)} UTC
    </time>
  );
}

/** An address, a name or a code, which may break after @ and _ and before a dot, so that no word is cut. */
export function Breakable({ text }: { text: string }) {
  const [first, ...rest] = text.split(/(?<=[@_])|(?=\.)/);
  return (
    <>
      {first}
      {rest.map((part, i) => (
        <Fragment key={`${i}${part}`}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** An id or a path, which breaks only after @ and before /, not at its hyphens, unless a part is longer than the line. */
export function Identifier({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=@)|(?<=[^/])(?=\/)/).map((part, i) => (
        <span key={`${i}${part}`} class="together">
          {part}
        </span>
      ))}
    </>
  );
}

/** A value with a Copy button, which copies the text beside it. */
export function Copyable({ text, label, block = false, kind, hasIcon = false }: CopyableProps) {
  return (
    <div class={block ? "copyable block" : kind === undefined ? "copyable" : "copyable long"}>
      {block ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre tabIndex={0}>{text}</pre>
      ) : (
        <code>{kind === "id" ? <Identifier text={text} /> : text}</code>
      )}
      <button
        type="button"
        class={`small copy needs-script ${hasIcon ? "icon-button" : ""}`}
        aria-label={`Copy ${label}`}
        title={hasIcon ? `Copy ${label}` : undefined}
      >
        {hasIcon ? <Icon name="copy" /> : "Copy"}
      </button>
    </div>
  );
}

export interface CopyableProps {
  text: string;
  label: string;
  block?: boolean;
  /** Whether the button is an icon, which is shown for the pointer and the focus. */
  hasIcon?: boolean;
  /** Of a text that may need the whole width. An id breaks as Identifier's. */
  kind?: "id" | "secret";
}

/** A button that copies the text at a path. */
export function CopyFrom({ path, text }: { path: string; text: string }) {
  return (
    <button type="button" class="small copy needs-script" data-copy-from={path}>
      {text}
    </button>
  );
}

/** Stands in for the live update of a page where scripts do not run. */
export function ReloadLink({ path }: { path: string }) {
  return (
    <a class="without-script" href={path}>
      Reload the page
    </a>
  );
}

/** Details that are open for readers without scripts, such as the numbers behind a chart. */
export function OpenWithoutScript({ summary, children, class: name = "" }: OpenWithoutScriptProps) {
  return (
    <details class={name} open data-open-without-script>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

export interface OpenWithoutScriptProps {
  summary: string;
  children: ComponentChildren;
  class?: string;
}

export interface FormProps {
  action: string;
  formToken: string;
  /** Set if the page has a form of this action for each entry of a list. */
  entry?: Entry;
  children: ComponentChildren;
  class?: string;
  hasFile?: boolean;
}

/** A POST form with the session's form token; left out if the user may not submit it. */
export function PostForm({ action, formToken, entry = {}, children, class: name = "", hasFile = false }: FormProps) {
  const kept = useContext(KeptFormContext);
  if (!usePermission(`POST ${action}`)) return null;
  const typed = kept?.take(action, entry) ?? null;
  return (
    <form
      method="post"
      action={action}
      class={name}
      encType={hasFile ? "multipart/form-data" : undefined}
      data-kept={typed === null ? undefined : "yes"}
    >
      {typed === null ? null : <KeptFormNotice />}
      {Object.entries({ form_token: formToken, ...entry }).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <TypedValuesContext.Provider value={typed}>{children}</TypedValuesContext.Provider>
    </form>
  );
}

function KeptFormNotice() {
  return (
    <div id="kept-form">
      <Notice tone="warn">
        Your session had ended, so nothing was sent. What you typed is in this form again, without passwords and codes.
        Check it, then submit it.
      </Notice>
    </div>
  );
}

export interface ConfirmButtonsProps {
  tone?: "primary" | "danger";
  /** The text of the button that confirms. */
  text: string;
  /** Where the way back leads. */
  back: string;
}

/** The buttons of a form that asks for confirmation. */
export function ConfirmButtons({ tone = "danger", text, back }: ConfirmButtonsProps) {
  return (
    <div class="bar">
      <button type="submit" class={tone}>
        {text}
      </button>
      <a class="button" href={back}>
        Cancel
      </a>
    </div>
  );
}

export interface FieldProps {
  label: string;
  name: string;
  /** Required for a second field of the same name on a page. */
  id?: string;
  type?: "text" | "email" | "password" | "datetime-local" | "file";
  value?: string | undefined;
  hint?: string;
  error?: string | undefined;
  required?: boolean;
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: "numeric" | "email" | "text";
  placeholder?: string;
  step?: string;
  maxLength?: number;
  /** File name extensions, with commas. */
  accept?: string;
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
      <Input {...attributes} />
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : <FieldError id={`${id}-error`} text={error} />}
    </div>
  );
}

function FieldError({ id, text }: { id: string; text: string }) {
  return (
    <p class="error" id={id}>
      <Icon name="bad" />
      {text}
    </p>
  );
}

/** A field of several lines. */
export function TextArea(props: { label: string; name: string; rows: number; value?: string; hint?: string }) {
  const { label, name, rows, value = "", hint } = props;
  const id = `field-${name}`;
  const typed = useTypedValue(name) ?? value;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={rows} {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}>
        {typed}
      </textarea>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export interface Option {
  value: string;
  text: string;
}

interface SelectProps {
  label: string;
  name: string;
  value: string;
  options: Option[];
  error?: string | undefined;
}

export function Select(props: SelectProps) {
  const id = `field-${props.name}`;
  const selected = useTypedValue(props.name) ?? props.value;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select id={id} name={props.name} {...(props.error === undefined ? {} : { "aria-describedby": `${id}-error` })}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value} selected={value === selected}>
            {text}
          </option>
        ))}
      </select>
      {props.error === undefined ? null : <FieldError id={`${id}-error`} text={props.error} />}
    </div>
  );
}

export interface QuotedReply {
  code: number;
  enhanced_code?: string | null;
  message: string;
}

/** A server's SMTP reply, word for word. */
export function ReplyQuote({ reply: { code, enhanced_code: enhanced, message } }: { reply: QuotedReply }) {
  return (
    <q class="smtp-reply">
      {[code, enhanced].filter(Boolean).join(" ")} {message}
    </q>
  );
}

/** A message about the result of an action. */
export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={tone} />
      <div>{children}</div>
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export interface TableProps {
  label: string;
  /** "" for a column of buttons, which need no head. */
  head: string[];
  /** The heads of columns of numbers, which are aligned on the right. */
  numbers?: readonly string[];
  children: ComponentChildren;
  class?: string;
}

/** A table that scrolls horizontally on narrow screens. */
export function Table(props: TableProps) {
  const { label, head, numbers = [], children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class={`table ${props.class ?? ""}`} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text) =>
              text === "" ? (
                <td key={text} />
              ) : (
                <th key={text} scope="col" class={numbers.includes(text) ? "number" : undefined}>
                  {text}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
