/** The URLs of public pages. */
import { trimEndOf } from "../../lib/trim-end.ts";

/** Returns the URL of a path that begins with a slash. `publicUrl`: the base URL of links. */
export const publicLink = (publicUrl: string, path: string): string => trimEndOf(new URL(publicUrl).href, "/") + path;
