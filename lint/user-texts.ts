/**
 * Finds the texts of src/ that users may read, with the TypeScript parser: literals and JSX texts of several words. test/lint/words.test.ts
 * looks for words that were given up in them.
 */
import { fileURLToPath } from "node:url";
import {
  isImportDeclaration,
  isJsxText,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

export interface UserText {
  /** Relative to the checkout. */
  file: string;
  /** With single spaces; `{}` stands for a value. */
  text: string;
}

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

/** Every text of src/, in the order of the files. */
export function userTexts(checkout = CHECKOUT): UserText[] {
  const api = new API({ cwd: checkout });
  try {
    const [project] = api.updateSnapshot({ openProject: `${checkout}tsconfig.json` }).getProjects();
    const files = project?.program.getSourceFileNames().filter((name) => name.startsWith(`${checkout}src/`)) ?? [];
    return files.flatMap((name) => {
      const source = project?.program.getSourceFile(name);
      const file = name.slice(checkout.length);
      return source === undefined ? [] : textsIn(source).map((text) => ({ file, text }));
    });
  } finally {
    api.close();
  }
}

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
