/**
 * Finds the regular expressions of src/ with the TypeScript parser: each literal, and each `new RegExp` whose source is a constant text.
 * test/lint/expressions.test.ts measures them.
 */
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
  type Node,
} from "typescript/unstable/ast";
import { readSources } from "./parsed-sources.ts";

export interface Expression {
  /** Relative to the checkout. */
  file: string;
  /** As it is written, with single spaces. */
  text: string;
  /** Null where the source is not written there: it is put together of parts. */
  regex: RegExp | null;
}

/** Every expression of src/, in the order of the files. */
export const expressionsOf = (checkout?: string): Expression[] =>
  readSources((source, file) => expressionsIn(source, file, source.text), checkout);

function expressionsIn(root: Node, file: string, source: string): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    if (isRegularExpressionLiteral(node)) found.push({ file, text: node.text, regex: regexOf(node.text) });
    if (
      (isNewExpression(node) || isCallExpression(node)) &&
      isIdentifier(node.expression) &&
      node.expression.text === "RegExp"
    ) {
      const [pattern, flags] = node.arguments ?? [];
      const isConstant =
        pattern !== undefined && isStringLiteral(pattern) && (flags === undefined || isStringLiteral(flags));
      const regex = isConstant ? new RegExp(pattern.text, flags === undefined ? "" : flags.text) : null;
      found.push({ file, text: source.slice(node.pos, node.end).trim().replace(/\s+/g, " "), regex });
    }
    node.forEachChild((child) => visit(child));
  };
  visit(root);
  return found;
}

function regexOf(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
