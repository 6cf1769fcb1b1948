/** @jsxRuntime automatic @jsxImportSource preact */
/** What somebody sees instead of a page. */

import type { PageProps } from "../views/layout.tsx";
import type { PageRefusal } from "../web/page-error.ts";

/** Null stands for a fault of ours. */
export function refusalPage(refusal: PageRefusal | null): PageProps {
  const title = refusal?.code === "not_found" ? "Not found" : "This did not work";
  const sentence = refusal?.message ?? "Something went wrong here. The log says more.";
  return {
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>{sentence}</p>
        <p>
          <a href="/dashboard">To the overview</a>
        </p>
      </>
    ),
  };
}
