/**
 * Opaque random ids of stored objects.
 */
import { randomBytes } from "node:crypto";

/** `prefix`, an underscore and 16 characters of base64url. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("base64url")}`;
