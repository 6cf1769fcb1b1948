/**
 * Decides what a complaint changes. One that names its recipient by a valid tag suppresses the address, and so does one that a known
 * feedback loop has signed, if its report names a recipient of the message. Any other that names a message of ours only informs.
 */
import type { Complaint } from "../../message/feedback/complaint.ts";
import { type ReturnPath, readReturnPath } from "../../message/return-path.ts";
import type { Incoming, IncomingMail } from "../../spool/port/incoming.ts";
import type { Results } from "../../spool/port/results.ts";
import { type Decision, ignored, nameOf, type RecipientName } from "./incoming-decision.ts";

/** A Message-ID that Postrider has made (see message/compose/draft.ts). A client's own may be easy to guess. */
const GENERATED_ID = /^<[\w-]{24}@/;

export interface ComplaintParts {
  spool: Pick<Incoming, "sentMessage"> & Pick<Results, "report">;
  /** Checks the tags of envelope senders. */
  key: Buffer;
  /** Whether a known feedback loop has signed the mail (loop-verification.ts). */
  isSignedByLoop: (mail: IncomingMail) => Promise<boolean>;
}

interface NamedByHeader extends RecipientName {
  email: string;
}

export class ComplaintDecisions {
  readonly #parts: ComplaintParts;

  constructor(parts: ComplaintParts) {
    this.#parts = parts;
  }

  /**
   * `mail`: that of the complaint; `sentTo`: the recipient that its address names, or else the account that it is of. Rejects as
   * verifyLoop does, or with SpoolUnavailable.
   */
  async decide(complaint: Complaint, mail: IncomingMail, sentTo: ReturnPath | string): Promise<Decision> {
    const { key, isSignedByLoop } = this.#parts;
    const { kind, envelopeSender, original } = complaint;
    const tagged = [envelopeSender, original.returnPath].map((address) =>
      address === null ? null : readReturnPath(address, key),
    );
    const byTag = tagged.find((each) => each !== null) ?? null;
    const proven = byTag ?? (typeof sentTo === "string" ? null : sentTo);
    if (proven !== null) return { effect: { type: "complained", ...nameOf(proven), kind }, outcome: "complained" };
    const named = typeof sentTo === "string" ? await this.#recipientOf(complaint, sentTo) : null;
    if (named === null) return ignored("unmatched");
    const isReported = complaint.reportedRecipient?.toLowerCase() === named.email.toLowerCase();
    if (isReported && (await isSignedByLoop(mail)))
      return { effect: { type: "complained", ...nameOf(named), kind }, outcome: "complained" };
    return { effect: { type: "reported", ...nameOf(named), kind }, outcome: "unverified" };
  }

  /**
   * Providers that remove all addresses repeat the Message-ID. That of a message which Postrider has built cannot be guessed, but each
   * of its recipients knows it, and can name another one. So it proves nothing.
   */
  async #recipientOf({ recipient, original }: Complaint, accountId: string): Promise<NamedByHeader | null> {
    const { spool } = this.#parts;
    const { messageId: header, dateMs } = original;
    if (header === null || dateMs === null || !GENERATED_ID.test(header)) return null;
    const messageId = await spool.sentMessage({ accountId, messageId: header, aboutMs: dateMs });
    const recipients = messageId === null ? [] : ((await spool.report(messageId))?.recipients ?? []);
    const named = recipients.filter(({ email }) => email.toLowerCase() === recipient?.toLowerCase());
    const [found, ...others] = named.length === 0 && recipients.length === 1 ? recipients : named;
    return messageId === null || found === undefined || others.length > 0
      ? null
      : { messageId, position: found.position, email: found.email };
  }
}
