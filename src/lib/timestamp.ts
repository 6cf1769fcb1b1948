/** Timestamps as RFC 3339 defines them. */

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether a text is an RFC 3339 timestamp. Date.parse accepts 30 February as 2 March. */
export function isTimestamp(text: string): boolean {
  if (!RFC3339.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, "2026-01-01".length);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
