/** Types of the libraries that dkim.ts uses and that have none: dkim-signer, and mailauth's body hash. */
declare module "dkim-signer" {
  /**
   * Returns the folded DKIM-Signature field with an empty b= tag, without its final CRLF. Field names are colon-separated;
   * absent and empty fields are omitted.
   */
  export function generateDKIMHeader(
    domainName: string,
    keySelector: string,
    headerFieldNames: string,
    headers: string,
    body: string,
  ): string;
  export const DKIMCanonicalizer: {
    /** `headers` must end with CRLF. */
    relaxedHeaders(headers: string, fieldNames: string): { headers: string; fieldNames: string };
    relaxedHeaderLine(line: string): { key: string; value: string };
  };
}

declare module "mailauth/lib/dkim/body/index.js" {
  interface BodyHash {
    update(chunk: Buffer): void;
    digest(encoding: "base64"): string;
  }

  export function dkimBody(canonicalization: "relaxed", algorithm: "sha256", maxLength: false): BodyHash;
}
