/**
 * The addresses at which mail comes back: the envelope senders of single recipients, and a few names at the return path of each
 * domain that has one on. No other address is ours.
 */
import { parseMailbox } from "../../message/address.ts";
import { type ReturnPath, readReturnPath, senderDomain } from "../../message/return-path.ts";

/** The names at `bounces.DOMAIN`, and what is sent to them. */
const NAMES = {
  "dmarc-reports": "dmarc_reports",
  "tls-reports": "tls_reports",
  complaints: "complaints",
  postmaster: "postmaster",
  abuse: "abuse",
} as const;

/** What the mail to an address is about. `mailbox`: the rest of the type says whose. */
export type IncomingRecipient =
  /** The envelope sender of one recipient of a message. */
  | ({ type: "bounces" } & ReturnPath)
  /** `domain`: the sender domain. */
  | { type: (typeof NAMES)[keyof typeof NAMES]; accountId: string; domainId: string; domain: string };

export type IncomingRecipientType = IncomingRecipient["type"];

export const INCOMING_RECIPIENT_TYPES: readonly IncomingRecipientType[] = ["bounces", ...Object.values(NAMES)];

export interface IncomingRecipients {
  /** Null for an address that is not ours. Rejects with SpoolUnavailable. */
  find(address: string): Promise<IncomingRecipient | null>;
  /** The account of a domain of our addresses, such as bounces.shop.example; null if it has none. Rejects with SpoolUnavailable. */
  ownerOf(domain: string): Promise<string | null>;
}

export interface IncomingRecipientsParts {
  /** The key of the envelope senders. */
  key: Buffer;
  domains: ReturnPathOwners;
}

interface ReturnPathOwners {
  /** Who has bound the domain with its return path on; null if nobody has. */
  returnPathOwner(domain: string): Promise<{ accountId: string; domainId: string } | null>;
}

/**
 * An envelope sender is valid permanently, and without a look into the spool: what comes back may be about a message of a domain that
 * has been removed since.
 */
export function incomingRecipients({ key, domains }: IncomingRecipientsParts): IncomingRecipients {
  return {
    async ownerOf(domain) {
      const sender = senderDomain(domain);
      return sender === null ? null : ((await domains.returnPathOwner(sender))?.accountId ?? null);
    },
    async find(address) {
      const mailbox = parseMailbox(address);
      if (mailbox.type === "invalid" || mailbox.name !== null) return null;
      const domain = senderDomain(mailbox.domain);
      if (domain === null) return null;
      const returnPath = readReturnPath(`${mailbox.local}@${mailbox.domain}`, key);
      if (returnPath !== null) return { type: "bounces", ...returnPath };
      const name = mailbox.local.toLowerCase();
      if (!isName(name)) return null;
      const owner = await domains.returnPathOwner(domain);
      return owner === null
        ? null
        : { type: NAMES[name], accountId: owner.accountId, domainId: owner.domainId, domain };
    },
  };
}

const isName = (name: string): name is keyof typeof NAMES => Object.hasOwn(NAMES, name);
