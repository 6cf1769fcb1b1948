/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The parts of a row of a list: the link that is stretched over it, its time, an email address that keeps its domain, and a state
 * that is marked only if it is not the normal one. A table of such rows has the class `linked`.
 */
import type { ComponentChildren } from "preact";
import { Badge, RelativeTime } from "./components.tsx";
import type { Label } from "./labels.ts";

/** The one link of a row that the style sheet stretches over it. `title` describes the whole row. */
export function RowLink(props: { href: string; title?: string; children: ComponentChildren }) {
  const { href, title, children } = props;
  return (
    <a class="row-link" href={href} title={title}>
      {children}
    </a>
  );
}

/** A time above the stretched link, so that it shows its tooltip; a click on it follows the same link. */
export function RowTime({ href, atMs, nowMs }: { href: string; atMs: number; nowMs: number }) {
  return (
    <a class="row-part" href={href} tabIndex={-1}>
      <RelativeTime atMs={atMs} nowMs={nowMs} />
    </a>
  );
}

/** Characters at the end of the local part that stay: they tell apart `ann+1@` and `ann+2@`. */
const TAIL_LENGTH = 4;
/** From this length on, a local part is shortened where space lacks. */
const SHORTENED_LENGTH = 9;

/** An email address on one line: where space lacks, the middle of its local part gives way. */
export function EmailAddress({ address }: { address: string }) {
  const at = address.lastIndexOf("@");
  const headLength = at < SHORTENED_LENGTH ? 0 : at - TAIL_LENGTH;
  return (
    <span class="email" title={address}>
      {headLength === 0 ? null : <span class="email-head">{address.slice(0, headLength)}</span>}
      <span class="email-tail">{address.slice(headLength)}</span>
    </span>
  );
}

/** A state in a list: plain if it is the normal one, else with a badge. */
export function StateText({ label }: { label: Label }) {
  return label.tone === "good" ? <span class="state">{label.text}</span> : <Badge label={label} />;
}
