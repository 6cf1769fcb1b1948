/** The port of mail that comes back, as far as both databases run it, with the listener that each stored mail wakes. */
import { bufferOf } from "../../lib/buffer-of.ts";
import { newId } from "../../lib/new-id.ts";
import { bind, type Runner } from "../engine/operations.ts";
import type { Incoming, IncomingMail, NewIncomingMail, Unsubscription } from "../port/incoming.ts";
import { INCOMING_OPERATIONS } from "./operations.ts";

export type IncomingPort = ReturnType<typeof incomingPort>;

/** What reports about this mail are about: they have their own queue, beside those of the accounts. */
const ABOUT = "incoming";

/** A content of 10 MiB in one transaction would keep all others waiting for a tenth of a second. */
const PART_OCTETS = 256 * 1024;

/** Each with its own buffer: to another thread, a part of a buffer goes with the whole of it. */
function partsOf(content: Buffer): Buffer[] {
  if (content.length <= PART_OCTETS) return [content];
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; at += PART_OCTETS)
    parts.push(Buffer.from(content.subarray(at, at + PART_OCTETS)));
  return parts;
}

/** `changed` is called with a message whose results may have changed. */
export function incomingPort(runner: Runner, changed: (messageId: string) => void) {
  const operations = bind(INCOMING_OPERATIONS, runner);
  let wake = (): void => {};
  return {
    ...operations,
    async storeIncoming(mail: NewIncomingMail): Promise<void> {
      const id = newId("inc");
      const octets = mail.content.length;
      const [first = mail.content, ...later] = partsOf(mail.content);
      await operations.storeIncoming({ ...mail, id, octets, content: first });
      for (const [index, content] of later.entries())
        await operations.storeIncomingPart({ id, part: index + 1, content, isLast: index === later.length - 1 });
      wake();
    },
    incomingBacklog: () => operations.incomingBacklog(ABOUT),
    incomingQueue: async (nowMs: number) =>
      (await operations.isIncomingEmpty()) ? [] : operations.incomingQueue(ABOUT, nowMs),
    async incomingMail(id: string): Promise<IncomingMail | null> {
      const mail = await operations.incomingMail(ABOUT, id);
      return mail === null ? null : { ...mail, content: bufferOf(mail.content) };
    },
    async applyIncoming(request: Parameters<Incoming["applyIncoming"]>[0]) {
      const result = await operations.applyIncoming(request);
      if (request.effect.type !== "none") changed(request.effect.messageId);
      return result;
    },
    async recordUnsubscribed(unsubscription: Unsubscription): Promise<void> {
      await operations.recordUnsubscribed(unsubscription);
      changed(unsubscription.messageId);
    },
    onIncoming(listener: () => void): void {
      wake = listener;
    },
  };
}
