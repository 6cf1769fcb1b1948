/** Reads a stored content with all its parts, as delivery does. */
import type { Mail } from "../../src/spool/port/mail.ts";

export async function partsOf(spool: Pick<Mail, "content">, messageId: string): Promise<Buffer[]> {
  const { first, laterParts, part } = await spool.content(messageId);
  const parts = [first];
  for (let number = 1; number <= laterParts; number += 1) parts.push(await part(number));
  return parts;
}

export async function wholeContent(spool: Pick<Mail, "content">, messageId: string): Promise<Buffer> {
  return Buffer.concat(await partsOf(spool, messageId));
}

/** A message of this size whose bytes differ in every part. */
export function largeContent(sizeBytes: number, header = "Subject: Large\r\n"): Buffer {
  const lines = Array.from({ length: Math.ceil(sizeBytes / 12) }, (_, i) => `line ${String(i).padStart(5, "0")}\r\n`);
  return Buffer.from(`${header}\r\n${lines.join("")}`.slice(0, sizeBytes - 2).concat("\r\n"));
}
