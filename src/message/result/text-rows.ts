/**
 * A row of the tables of texts and codes in replies (reply-texts.ts, provider-codes.ts), and how the first matching one is found.
 */
import type { Category, RefusalScope } from "./category.ts";
import { findText, textPatterns } from "./text-patterns.ts";

export interface TextRow {
  category: Category;
  /** The receivers and servers that use these texts, and what they mean by them. */
  usedBy: string;
  texts: readonly string[];
  /** What the texts say that the refusal concerns; refusal-scope.ts decides if absent. */
  scope?: RefusalScope;
  /** The texts can mean nothing but that the mailbox does not exist; false if absent. */
  blamesAddress?: boolean;
}

export interface TextMatch {
  category: Category;
  scope: RefusalScope | null;
  blamesAddress: boolean;
  /** What matched, in lower case. */
  text: string;
}

export type CompiledRows = (plain: string, isExcluded?: (category: Category) => boolean) => TextMatch | null;

/** Returns a function that finds the first row with a text that occurs in a plain text (text-patterns.ts). */
export function compileRows(rows: readonly TextRow[]): CompiledRows {
  const compiled = rows.map(({ category, scope = null, texts, blamesAddress = false }) => ({
    category,
    scope,
    blamesAddress,
    patterns: textPatterns(texts),
  }));
  return (plain, isExcluded = () => false) => {
    for (const { patterns, ...row } of compiled) {
      if (isExcluded(row.category)) continue;
      const text = findText(patterns, plain);
      if (text !== null) return { ...row, text };
    }
    return null;
  };
}
