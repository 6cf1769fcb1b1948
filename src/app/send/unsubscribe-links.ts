/** The links of one-click unsubscribe (RFC 8058): where they lead, and whether this installation can have any. */
import { isSafeUrl } from "../../lib/loopback-name.ts";
import { type UnsubscribeTarget, unsubscribeToken } from "../../message/unsubscribe-token.ts";
import { type PublicAddress, publicLink, publicLinkFault } from "./public-link.ts";

export interface UnsubscribeLinksParts extends PublicAddress {
  /** Signs the tokens: 32 bytes, the same for every process of the service. */
  key: Buffer;
}

/** The path of a link, before its token. */
export const UNSUBSCRIBE_PATH = "/unsubscribe/";

export class UnsubscribeLinks {
  readonly #parts: UnsubscribeLinksParts;

  constructor(parts: UnsubscribeLinksParts) {
    this.#parts = parts;
  }

  /**
   * Returns why a message cannot have a link, as sentences; null if it can. RFC 8058 §3.1 requires HTTPS. A loopback address is
   * for tests on this server, and may be plain HTTP: a test message gets it in any case, a live one where PUBLIC_URL asks for it.
   */
  fault({ isTest }: { isTest: boolean }): string | null {
    const fault = publicLinkFault(this.#parts, { isTest });
    if (fault !== null) return `unsubscribe: ${fault} See docs/SUPPRESSION.md#ask-for-an-unsubscribe-link.`;
    const publicUrl = this.#parts.publicUrl();
    // Mail programs on this server reach it without HTTPS.
    if (isSafeUrl(new URL(publicUrl))) return null;
    return `unsubscribe: the link must be an https URL (RFC 8058), and PUBLIC_URL of this service is ${publicUrl}. Ask its operator for one with https.`;
  }

  /** Returns the URL of a recipient's link: ASCII without white space. */
  linkFor(target: UnsubscribeTarget): string {
    const { publicUrl, key } = this.#parts;
    return publicLink(publicUrl(), UNSUBSCRIBE_PATH + unsubscribeToken(target, key));
  }
}
