/** The URLs of public pages, and which messages may have one. */
import { trimEndOf } from "../../lib/trim-end.ts";

/** Where links lead. */
export interface PublicAddress {
  /** The base URL of links. */
  publicUrl: () => string;
  /** Whether it is PUBLIC_URL; else it is the default, which leads to the reader's own host. */
  isPublicUrlSet: boolean;
}

/** Returns the URL of a path that begins with a slash. `publicUrl`: the base URL of links. */
export const publicLink = (publicUrl: string, path: string): string => trimEndOf(new URL(publicUrl).href, "/") + path;

/**
 * Returns why a message cannot have a link, as sentences; null if it can. `localhost` is what PUBLIC_URL is by default, so no live message gets
 * a link to it. A test message does: its reader is on this server.
 */
export function publicLinkFault(
  { publicUrl, isPublicUrlSet }: PublicAddress,
  { isTest }: { isTest: boolean },
): string | null {
  const url = publicUrl();
  if (isTest || (isPublicUrlSet && new URL(url).hostname !== "localhost")) return null;
  return `the link would begin with ${url}, which leads recipients to their own computer, because PUBLIC_URL of this service is not set to its public address. Ask its operator to set it to an https URL.`;
}
