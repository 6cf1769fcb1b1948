/** @jsxRuntime automatic @jsxImportSource preact */
/** The page in place of a secret that was shown once. */
import type { AuthContext } from "../auth/sessions.ts";
import { signedInPage } from "./layout.tsx";

export interface AlreadyShown {
  /** The page's place in the navigation. */
  at: string;
  /** What was shown: `key`. */
  name: string;
  /** Why it is not shown again, and what to do. */
  text: string;
  link: { href: string; text: string };
}

export function alreadyShownPage(auth: AuthContext, { at, name, text, link }: AlreadyShown): string {
  return signedInPage(auth, at, {
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)} already shown`,
    children: (
      <>
        <h1>This {name} has already been shown</h1>
        <p>{text}</p>
        <a class="button" href={link.href}>
          {link.text}
        </a>
      </>
    ),
  });
}
