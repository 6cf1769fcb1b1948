/** The settings that docs/SENDING.md has for a program, as they stand but for what a test must replace. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { codeBlocks } from "../docs/markdown.ts";

const BLOCKS = codeBlocks(readFileSync(new URL("../../docs/SENDING.md", import.meta.url), "utf8"));

export interface Here {
  port: number;
  key: string;
}

/** The blocks under a heading, with this port and key. */
export function settingsOf(heading: string, { port, key }: Here): string[] {
  const blocks = BLOCKS.filter((block) => block.heading === heading);
  assert.ok(blocks.length > 0, heading);
  return blocks.map(({ text }) => text.replaceAll("587", String(port)).replaceAll("svc_live_…", key));
}
