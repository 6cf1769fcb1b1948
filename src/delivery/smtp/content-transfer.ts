/**
 * Sends a message's content after DATA, all but its last block: a content of one part at once, a larger one part by part, with the
 * next part read while one is sent. So a peer that is slow to read holds two parts in memory, besides the first one, which the
 * caller keeps for other transactions. transaction.ts decides about the last block, which contains the final dot.
 */
import { setImmediate } from "node:timers/promises";
import type { Connection, ExpectedReply } from "./connection.ts";
import { BLOCK_BYTES, type ContentParts, endsLine, wireBlocks } from "./content.ts";

export interface Transfer {
  connection: Connection;
  /** To the final dot. Once it is settled, by an early reply or because the connection ended, nothing more is sent. */
  reply: ExpectedReply;
  /** Sent before the content. Ends its last line. */
  prefix: Buffer;
  content: ContentParts;
  /** Until the peer accepts one block. */
  blockTimeoutMs: number;
  /** Called when all parts have been read, unless `reply` is settled by then. */
  onAllRead: () => void;
}

/**
 * Sends the content and returns its last block, in which most messages are whole: they need only one write and one packet train.
 * Rejects if a part cannot be read.
 */
export async function sendContent(transfer: Transfer): Promise<Buffer> {
  const { prefix, content, reply } = transfer;
  let part = content.first;
  let atLineStart = true;
  for (let number = 0; ; number += 1) {
    const isLast = number === content.laterParts;
    const next = isLast ? null : readAhead(content, number + 1);
    if (next === null) transfer.onAllRead();
    const blocks = wireBlocks(number === 0 ? [prefix, part] : [part], BLOCK_BYTES, { atLineStart, isLast });
    const lastBlock = await sendBlocks(transfer, blocks);
    if (next === null) return lastBlock;
    if (lastBlock.length > 0) await sendBlock(transfer, lastBlock);
    // Without its value: `result` refers to everything that was raced with it.
    if (reply.settled === null) await Promise.race([next.then(() => {}), reply.result]);
    if (reply.settled !== null) return lastBlock;
    if (part.length > 0) atLineStart = endsLine(part);
    part = await next;
  }
}

/** An error surfaces when the part is awaited, or not at all if the transfer ends before. */
function readAhead(content: ContentParts, number: number): Promise<Buffer> {
  const read = content.part(number);
  read.catch(() => {});
  return read;
}

/** Sends all blocks but the last and returns the last. Stops once `reply` is settled. */
async function sendBlocks(transfer: Transfer, blocks: Iterable<Buffer>): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for (const block of blocks) {
    if (transfer.reply.settled !== null) break;
    if (last.length > 0) await sendBlock(transfer, last);
    last = block;
  }
  return last;
}

async function sendBlock({ connection, reply, blockTimeoutMs }: Transfer, block: Buffer): Promise<void> {
  if (reply.settled !== null) return;
  await Promise.race([connection.write(block, blockTimeoutMs), reply.result]);
  // A write that the kernel accepts at once does not let the event loop read, so an early reply would be missed.
  await setImmediate();
}
