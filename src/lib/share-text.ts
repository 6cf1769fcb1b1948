/** A share for people. */

/** Formats a share as a percentage; never rounded up to 100 or down to 0. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  if (percent === 100 || percent === 0) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(1)} %`;
}
