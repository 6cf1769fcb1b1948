/** @jsxRuntime automatic @jsxImportSource preact */
/** The page with the operator's contact data. Its readers are the staff of receivers, and whoever got mail from this server. */
import { plainPage } from "../views/layout.tsx";

/** `text`: lines, as the operator has written them. */
export function contactPage({ hostname, text }: { hostname: string; text: string }): string {
  return plainPage({
    title: `Contact: ${hostname}`,
    children: (
      <>
        <h1>Who operates this server</h1>
        <p>
          <strong>{hostname}</strong> is a mail server. It sends sign-up, password-reset and notification mail of its
          users.
        </p>
        <p class="lines">{text}</p>
        <p>
          <a href="/dashboard">Sign in</a>
        </p>
      </>
    ),
  });
}
