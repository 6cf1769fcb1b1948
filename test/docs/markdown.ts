/** The documents' Markdown without its code, whose links and images are examples. */
export const withoutCode = (text: string): string => withoutFences(text).replaceAll(/`[^`\n]+`/g, "");

/** Keeps inline code: it is part of headings. */
export const withoutFences = (text: string): string => text.replaceAll(/^ *(`{3,}).*\n[\s\S]*?^ *\1`*$/gm, "");

export interface CodeBlock {
  /** The heading above it, without its signs. */
  heading: string;
  /** As the fence names it; "" without a name. */
  language: string;
  text: string;
}

/** The fenced blocks of a document in their order. */
export function codeBlocks(text: string): CodeBlock[] {
  let heading = "";
  const parts = [...text.matchAll(/^#{1,6} (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)];
  return parts.flatMap(([, title, language, block]) => {
    if (title === undefined) return [{ heading, language: language ?? "", text: block ?? "" }];
    heading = title;
    return [];
  });
}

/** What follows the heading with this title, up to the next one; "" without such a heading. */
export function partUnder(text: string, title: string): string {
  const parts = withoutFences(text).split(/\n#{2,6} /);
  return parts.find((part) => part.startsWith(`${title}\n`)) ?? "";
}

/** The code spans in the first cells of the tables of a part, in their order. */
export function firstCells(part: string): string[] {
  const cells = [...part.matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}
