/** The links of one-click unsubscribe (RFC 8058): where they lead, and whether this installation can have any. */
import { isSafeUrl } from "../../lib/loopback-name.ts";
import { type UnsubscribeTarget, unsubscribeToken } from "../../message/unsubscribe-token.ts";
import { publicLink } from "./public-link.ts";

export interface UnsubscribeLinksParts {
  /** Signs the tokens: 32 bytes, the same for every process of the service. */
  key: Buffer;
  /** The base URL of links, without a final slash. */
  publicUrl: () => string;
  /** Whether it is PUBLIC_URL; else it is the default, which leads to the reader's own host. */
  isPublicUrlSet: boolean;
}

/** The path of a link, before its token. */
export const UNSUBSCRIBE_PATH = "/unsubscribe/";

export class UnsubscribeLinks {
  readonly #parts: UnsubscribeLinksParts;

  constructor(parts: UnsubscribeLinksParts) {
    this.#parts = parts;
  }

  /**
   * Returns why a message cannot have a link, as a sentence; null if it can. RFC 8058 §3.1 requires HTTPS. A loopback address is
   * for tests on this server, and may be plain HTTP: a test message gets it in any case, a live one where PUBLIC_URL asks for it.
   * `localhost` is what PUBLIC_URL is by default, so no live message gets it.
   */
  fault({ isTest }: { isTest: boolean }): string | null {
    const publicUrl = this.#parts.publicUrl();
    const url = new URL(publicUrl);
    if (!isTest && (!this.#parts.isPublicUrlSet || url.hostname === "localhost")) {
      return `unsubscribe: the link would begin with ${publicUrl}, which leads recipients to their own computer, because PUBLIC_URL of this service is not set to its public address. Ask its operator to set it to an https URL. See docs/UNSUBSCRIBE.md#ask-for-a-link.`;
    }
    // Mail programs on this server reach it without HTTPS.
    if (isSafeUrl(url)) return null;
    return `unsubscribe: the link must be an https URL (RFC 8058), and PUBLIC_URL of this service is ${publicUrl}. Ask its operator for one with https.`;
  }

  /** Returns the URL of a recipient's link: ASCII without white space. */
  linkFor(target: UnsubscribeTarget): string {
    const { publicUrl, key } = this.#parts;
    return publicLink(publicUrl(), UNSUBSCRIBE_PATH + unsubscribeToken(target, key));
  }
}
