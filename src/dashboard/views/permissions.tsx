/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Leaves out of a page what its user may not do. Which requests are allowed is decided in auth/roles.ts.
 */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";

/** Whether the user of the page may make a request such as `POST /dashboard/keys`. */
export type Permissions = (request: string) => boolean;

/** A page of a visitor has no forms of an account. */
export const PermissionsContext = createContext<Permissions>(() => true);

export const usePermission = (request: string): boolean => useContext(PermissionsContext)(request);

/** Shows its children if the user may make the request; else `instead`. */
export function Allowed(props: { to: string; children: ComponentChildren; instead?: ComponentChildren }) {
  return <>{usePermission(props.to) ? props.children : props.instead}</>;
}

export interface ButtonLinkProps {
  href: string;
  class?: string;
  label?: string;
  children: ComponentChildren;
}

/** A link to a page with a form, in the form of a button; left out if the user may not use that page. */
export function ButtonLink({ href, class: name, label, children }: ButtonLinkProps) {
  if (!usePermission(`GET ${href}`)) return null;
  return (
    <a class={name === undefined ? "button" : `button ${name}`} href={href} aria-label={label}>
      {children}
    </a>
  );
}
