/** Rejects JSON that would take far more memory than its length, before it is parsed. */

/** A TLS report is nested six levels deep. */
const DEPTH_MAX = 16;
/** Values, names and empty lists. A report has some dozens for each policy and cause. */
const TOKENS_MAX = 100_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether the text has no more levels and values than these. It need not be well-formed. */
export function isOfReportShape(json: string): boolean {
  let depth = 0;
  let tokens = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at + 1);
    else if (code === COMMA || code === COLON) tokens += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      tokens += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > DEPTH_MAX || tokens > TOKENS_MAX) return false;
  }
  return true;
}

/** Returns where the string ends. */
function stringEnd(json: string, start: number): number {
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return json.length;
}
