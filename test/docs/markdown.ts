/** The documents' Markdown without its code, whose links and images are examples. */
export const withoutCode = (text: string): string => withoutFences(text).replaceAll(/`[^`\n]+`/g, "");

/** Keeps inline code: it is part of headings. */
export const withoutFences = (text: string): string => text.replaceAll(/^ *(`{3,}).*\n[\s\S]*?^ *\1`*$/gm, "");
