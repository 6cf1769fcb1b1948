/** The links of one-click unsubscribe (RFC 8058): where they lead, and whether this installation can have any. */
import { type UnsubscribeTarget, unsubscribeToken } from "../../message/unsubscribe-token.ts";
import { publicLink } from "./public-link.ts";

export interface UnsubscribeLinksParts {
  /** Signs the tokens: 32 bytes, the same for every process of the service. */
  key: Buffer;
  /** The base URL of links, without a final slash. */
  publicUrl: () => string;
}

/** The path of a link, before its token. */
export const UNSUBSCRIBE_PATH = "/unsubscribe/";

/** Mail programs on this host reach it without HTTPS. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export class UnsubscribeLinks {
  readonly #parts: UnsubscribeLinksParts;

  constructor(parts: UnsubscribeLinksParts) {
    this.#parts = parts;
  }

  /**
   * Returns why no message can have a link, as a sentence; null if one can. RFC 8058 §3.1 requires HTTPS. A loopback address is
   * for tests on this host, and may be plain HTTP.
   */
  fault(): string | null {
    const publicUrl = this.#parts.publicUrl();
    const { protocol, hostname } = new URL(publicUrl);
    if (protocol === "https:" || LOOPBACK.test(hostname)) return null;
    return `unsubscribe: the link must be an https URL (RFC 8058), and PUBLIC_URL of this service is ${publicUrl}. Ask its operator for one with https.`;
  }

  /** Returns the URL of a recipient's link: ASCII without white space. */
  linkFor(target: UnsubscribeTarget): string {
    const { publicUrl, key } = this.#parts;
    return publicLink(publicUrl(), UNSUBSCRIBE_PATH + unsubscribeToken(target, key));
  }
}
