/** The links to status pages: where they lead, and which messages can have one. */
import { type StatusTarget, statusToken } from "../../message/status-token.ts";
import { type PublicAddress, publicLink, publicLinkFault } from "../send/public-link.ts";

export interface StatusLinksParts extends PublicAddress {
  /** Signs the tokens: 32 bytes, the same for every process of the service. */
  key: Buffer;
}

/** The path of a link, before its token. */
export const STATUS_PATH = "/status/";

/** Why an account's message has no link, as a sentence. */
export const STATUS_PAGES_ARE_OFF =
  "Status pages are off for this account. An owner turns them on in the dashboard, on the page Account.";

export class StatusLinks {
  readonly #parts: StatusLinksParts;

  constructor(parts: StatusLinksParts) {
    this.#parts = parts;
  }

  /** Returns why a message cannot have a link, as sentences; null if it can. */
  fault(message: { isTest: boolean }): string | null {
    return publicLinkFault(this.#parts, message);
  }

  /** Returns the URL of a recipient's page. It is the same each time. */
  linkFor(target: StatusTarget): string {
    const { publicUrl, key } = this.#parts;
    return publicLink(publicUrl(), STATUS_PATH + statusToken(target, key));
  }
}
