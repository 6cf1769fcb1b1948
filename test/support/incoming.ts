/** Mail that has come back, as the task that reads it finds it. */
import type { Incoming, IncomingMail } from "../../src/spool/port/incoming.ts";

/** The first mail that is due and can be read; null if none is. */
export async function nextIncoming(
  spool: Pick<Incoming, "incomingQueue" | "incomingMail">,
  nowMs: number,
): Promise<IncomingMail | null> {
  for (const { id } of await spool.incomingQueue(nowMs)) {
    const mail = await spool.incomingMail(id);
    if (mail !== null) return mail;
  }
  return null;
}
