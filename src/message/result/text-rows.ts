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
  /** The texts mean this only of a recipient: not before RCPT TO, and not with a 421, which ends the session. */
  notOfSession?: true;
}

export interface TextMatch {
  category: Category;
  scope: RefusalScope | null;
  blamesAddress: boolean;
  /** What matched, in lower case. */
  text: string;
}

export type CompiledRows = (plain: string, isExcluded?: (row: TextRow) => boolean) => TextMatch | null;

/** Returns a function that finds the first row with a text that occurs in a plain text (text-patterns.ts). */
export function compileRows(rows: readonly TextRow[]): CompiledRows {
  const compiled = rows.map((row) => ({ row, patterns: textPatterns(row.texts) }));
  return (plain, isExcluded = () => false) => {
    for (const { row, patterns } of compiled) {
      if (isExcluded(row)) continue;
      const text = findText(patterns, plain);
      const { category, scope = null, blamesAddress = false } = row;
      if (text !== null) return { category, scope, blamesAddress, text };
    }
    return null;
  };
}
