/**
 * Decodes JSON that the spool has stored. Whether a value that cannot be decoded is damage or reads as absent is decided by
 * each form of the spool.
 */
import type { SmtpRecord } from "../../message/result/outcome.ts";

/** Decodes a stored JSON text. Returns null if it cannot be decoded or `isSound` rejects its value. */
export function soundJson<T>(text: unknown, isSound: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return isSound(value) ? value : null;
  } catch {
    return null;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isReply = (value: unknown): value is SmtpRecord =>
  isObject(value) && typeof value.code === "number" && typeof value.message === "string";

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
