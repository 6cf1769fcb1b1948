/** Whether receivers refuse mail of this server because of its address or name, as delivery has found out. */
import { rfc3339 } from "../lib/clock.ts";
import type { DoctorInput, Finding, ReceiverBlock } from "./finding.ts";

/** The number of blocks to name. */
const NAMED_MAX = 5;

export async function checkReceivers({ blocks: read }: DoctorInput): Promise<Finding> {
  const check = "receivers";
  const found = (await read?.()) ?? [];
  if (found.length === 0)
    return { check, state: "ok", detail: "No receiver rejects mail because of this server's address or name." };
  const blocks = found.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || a.sinceMs - b.sinceMs);
  const more = blocks.length - NAMED_MAX;
  const sentences = [
    ...blocks.slice(0, NAMED_MAX).map(sentenceOf),
    ...(more > 0 ? [`So ${more === 1 ? "does one more" : `do ${more} more`}: receivers list shows them.`] : []),
    "The messages wait, and none fails because of it before its time is over.",
  ];
  return { check, state: blocks.some(({ isKnown }) => isKnown) ? "problem" : "warning", detail: sentences.join(" ") };
}

function sentenceOf({ label, address, sinceMs, reply, url }: ReceiverBlock): string {
  const from = address === null ? "" : ` from ${address}`;
  const words = reply === null ? "" : `: “${reply}”`;
  const ask = url === null ? "" : ` Ask for delisting at ${url}.`;
  return `${label} rejects mail${from} since ${rfc3339(Math.round(sinceMs))}${words}.${ask}`;
}
