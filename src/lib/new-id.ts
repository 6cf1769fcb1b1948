/**
 * Opaque random ids of stored objects.
 */
import { pooledRandomBytes } from "./random.ts";

/** `prefix`, an underscore and 16 characters of base64url. */
export const newId = (prefix: string): string => `${prefix}_${pooledRandomBytes(12).toString("base64url")}`;
