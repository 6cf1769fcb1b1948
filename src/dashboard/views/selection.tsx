/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The selection of rows of a list: a check box in a row, the bar of actions, and the addresses that a confirmation names. The check boxes
 * belong to the form of the bar, whose buttons lead to confirmations. It works without scripts.
 */
import type { ComponentChildren } from "preact";
import { countText, plural } from "./labels.ts";
import { EmailAddress } from "./list-rows.tsx";

const FORM = "selection";

/** `label` names the row. */
export function SelectBox({ name, value, label }: { name: string; value: string; label: string }) {
  return (
    <label class="select">
      <input type="checkbox" class="select-box" form={FORM} name={name} value={value} aria-label={`Select ${label}`} />
    </label>
  );
}

/** A place in a row that cannot be selected, so that the rows are aligned. */
export const NoSelectBox = () => <span class="select" />;

/** Shown while a row is selected; always where the browser cannot tell. */
export function SelectionBar({ action, children }: { action?: string; children: ComponentChildren }) {
  return (
    <form id={FORM} method="get" action={action} class="selection-bar bar">
      <span class="quiet">Selected:</span>
      {children}
    </form>
  );
}

/** Addresses that a confirmation lists. */
const NAMED_MAX = 100;

export function AddressList({ emails }: { emails: readonly string[] }) {
  const others = emails.length - NAMED_MAX;
  return (
    <>
      <ul class="addresses" aria-label="Email addresses">
        {emails.slice(0, NAMED_MAX).map((email, i) => (
          <li key={`${i}${email}`}>
            <EmailAddress address={email} />
          </li>
        ))}
      </ul>
      {others > 0 ? (
        <p class="quiet">
          And {countText(others)} more: {plural(emails.length, "recipient")} in all.
        </p>
      ) : null}
    </>
  );
}
