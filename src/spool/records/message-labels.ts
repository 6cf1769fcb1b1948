/**
 * Decodes the tags and metadata of a stored message. They are only shown, so what cannot be decoded reads as absent.
 */
import { isObject, isTexts, soundJson } from "./stored-json.ts";

export const tagsOf = (json: string | null): string[] => (json === null ? [] : (soundJson(json, isTexts) ?? []));

export const metadataOf = (json: string | null): Record<string, string> =>
  json === null ? {} : (soundJson(json, areTexts) ?? {});

const areTexts = (value: unknown): value is Record<string, string> => isObject(value) && isTexts(Object.values(value));
