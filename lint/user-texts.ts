/**
 * Finds the texts of src/ that users may read, with the TypeScript parser: literals and JSX texts of several words. test/lint/words.test.ts
 * looks for words that were given up in them.
 */
import {
  isImportDeclaration,
  isJsxText,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
} from "typescript/unstable/ast";
import { readSources } from "./parsed-sources.ts";

export interface UserText {
  /** Relative to the checkout. */
  file: string;
  /** With single spaces; `{}` stands for a value. */
  text: string;
}

/** Every text of src/, in the order of the files. */
export const userTexts = (): UserText[] =>
  readSources((source, file) => textsIn(source).map((text) => ({ file, text })));

function textsIn(root: Node): string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    if (isImportDeclaration(node)) return;
    const text = textOf(node)?.replace(/\s+/g, " ").trim() ?? "";
    // Names, codes and addresses are no texts.
    if (/\p{L} +\S|\S +\p{L}/u.test(text)) texts.push(text);
    node.forEachChild(visit);
  };
  root.forEachChild(visit);
  return texts;
}

function textOf(node: Node): string | null {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isJsxText(node)) return node.text;
  if (!isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("{}");
}
