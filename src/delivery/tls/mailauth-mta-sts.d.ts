/** The types of the mailauth module that mta-sts.ts uses; mailauth's index.d.ts omits them. */
declare module "mailauth/lib/mta-sts.js" {
  interface ParsedPolicy {
    mode: "enforce" | "testing" | "none";
    /** Seconds. */
    maxAge: number;
    /** Lower case; at least one unless the mode is `none`. */
    mx?: string[];
  }

  /** Throws on an invalid policy. */
  export function parsePolicy(file: string): ParsedPolicy;
}
