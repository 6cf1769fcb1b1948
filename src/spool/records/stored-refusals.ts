/**
 * Refusals of an address as they are stored: one JSON text for each account and address. message/result/suppression.ts decides which
 * refusals are kept and when they suppress.
 */
import type { Refusal } from "../../message/result/suppression.ts";
import { isReply, soundJson } from "./stored-json.ts";

/** Decodes stored refusals. Those that cannot be decoded count as none: at worst an address is tried again. */
export const storedRefusals = (json: string): Refusal[] => soundJson(json, areRefusals) ?? [];

const areRefusals = (value: unknown): value is Refusal[] =>
  Array.isArray(value) && value.every((each) => isReply(each) && "at_ms" in each && Number.isInteger(each.at_ms));
