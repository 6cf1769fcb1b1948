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
