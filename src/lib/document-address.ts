/**
 * References to the project's documents within texts, such as docs/OPERATIONS.md#keys, and the pages of the dashboard that show them.
 * A text has the path; where it is shown, the path becomes a link or the address of the page.
 */

/** Below which the dashboard has the documents; at itself, their list. */
export const DOCUMENT_PAGES = "/dashboard/docs";

const REFERENCE = /\bdocs\/([A-Z][A-Z-]*)\.md(#[\w-]+)?/g;

export interface TextPart {
  text: string;
  /** The path of the page of a reference; null for other text. */
  href: string | null;
}

/** Returns the path of a document's page. `fragment` is empty or begins with #. */
export const documentPage = (name: string, fragment = ""): string =>
  `${DOCUMENT_PAGES}${name === "README" ? "" : `/${name.toLowerCase()}`}${fragment}`;

/** Splits a text at its references. */
export function documentReferences(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [reference, name = "", fragment] = match;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: reference, href: documentPage(name, fragment) });
    end = match.index + reference.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

/** The text with the addresses of pages in place of references; unchanged if the service's own address, `publicUrl`, is not known. */
export function withDocumentAddresses(text: string, publicUrl: string | null): string {
  if (publicUrl === null || publicUrl === "") return text;
  const parts = documentReferences(text);
  return parts.map(({ text: part, href }) => (href === null ? part : `${publicUrl}${href}`)).join("");
}
