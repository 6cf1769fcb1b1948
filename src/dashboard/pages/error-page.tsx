/** @jsxRuntime automatic @jsxImportSource preact */
/** The page of a request that failed. */
import type { PageProps } from "../views/layout.tsx";
import type { PageError } from "../web/page-error.ts";

/** Renders an error; null stands for an internal error. */
export function errorPage(error: PageError | null): PageProps {
  const title = error?.code === "not_found" ? "Page not found" : "Request failed";
  const message = error?.message ?? "Internal error. See the service's log for details.";
  return {
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>{message}</p>
        <p>
          <a href="/dashboard">Go to the overview</a>
        </p>
      </>
    ),
  };
}
