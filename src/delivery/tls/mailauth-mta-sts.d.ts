/** The part of mailauth behind mta-sts.ts, which its index.d.ts leaves out. */
declare module "mailauth/lib/mta-sts.js" {
  interface ParsedPolicy {
    mode: "enforce" | "testing" | "none";
    /** Seconds. */
    maxAge: number;
    /** Lower case; at least one unless the mode is `none`. */
    mx?: string[];
  }

  /** Throws on what is no valid policy. */
  export function parsePolicy(file: string): ParsedPolicy;
}
