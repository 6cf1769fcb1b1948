/** Contents as the spool returns them, from bytes in memory. */
import type { StoredContent } from "../../src/spool/port/mail.ts";

export interface CountedContent extends StoredContent {
  /** The numbers of the later parts that were read, in order. */
  reads: number[];
}

/** A content in these parts. `hooks.part` runs before a later part is returned, and may reject. */
export function contentInParts(
  parts: Buffer[],
  hooks: { bodyHash?: string; part?: (number: number) => Promise<void> } = {},
): CountedContent {
  const reads: number[] = [];
  const [first = Buffer.alloc(0)] = parts;
  return {
    first,
    laterParts: parts.length - 1,
    async part(number) {
      reads.push(number);
      await hooks.part?.(number);
      const part = parts[number];
      if (number < 1 || part === undefined) throw new Error(`there is no later part ${number}`);
      return part;
    },
    bodyHash: hooks.bodyHash ?? null,
    reads,
  };
}

/** The bytes cut at these places. */
export function cutAt(bytes: Buffer, places: number[]): Buffer[] {
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}
