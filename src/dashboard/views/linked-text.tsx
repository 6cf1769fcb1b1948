/** @jsxRuntime automatic @jsxImportSource preact */
/** A text whose references to documents, such as docs/OPERATIONS.md#keys, are links to their pages. */
import { documentReferences } from "../../lib/document-address.ts";

export function LinkedText({ text }: { text: string }) {
  return (
    <>
      {documentReferences(text).map(({ text: part, href }, i) =>
        href === null ? (
          part
        ) : (
          <a key={`${i} ${href}`} href={href}>
            {part}
          </a>
        ),
      )}
    </>
  );
}
