/** Recognizes texts that were intended as DMARC records and are none. dmarc/record.ts reads those that are. */
import { quote } from "./check.ts";

/** Whether the text was intended as a DMARC record. */
export function looksLikeDmarc(record: string): boolean {
  return /^["'“”„\\\s]*(v\s*([=:]\s*)?["'“”„]*)?dmarc/i.test(record);
}

/** Why a text that was intended as a DMARC record is not one. */
export function explainLookalike(record: string): string {
  const text = quote(record);
  if (/["'“”„\\]/.test(record)) return `${text} contains quotes or backslashes`;
  if (/^v\s*=\s*DMARC1\s/i.test(record)) return `${text} has no semicolon after v=DMARC1`;
  return `${text} does not begin with exactly “v=DMARC1;”, so receivers ignore it`;
}
