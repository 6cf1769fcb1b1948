/** What an operator may set for a receiver, from the texts of a form or a command. */
import { DAY_MS } from "../../lib/units.ts";
import { parseDuration } from "../../message/retry.ts";
import type { ReceiverOverride } from "../../receivers/limits.ts";
import { keyOf, nameOf } from "../../receivers/names.ts";
import { PROFILES } from "../../receivers/profiles.ts";
import { profileOf, receiverOf } from "../../receivers/receiver.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { readReceiverOverrides, writeReceiverOverride } from "../../spool/port/receiver-limits.ts";

/** Texts as typed; absent or empty where nothing is to be set. */
export interface TypedLimits {
  connections?: string;
  messagesPerConnection?: string;
  messagesPerMinute?: string;
  pause?: string;
}

export type LimitField = "name" | keyof TypedLimits;

/** A text that is not valid, and why. */
export interface LimitFault {
  field: LimitField;
  detail: string;
}

export const UNKNOWN_RECEIVER = "no receiver has this name";

/** Returns the name of a receiver: that of a profile, or an organisational domain of mail exchangers; otherwise why the text is not one. */
export function receiverNamed(typed: string): { name: string } | { fault: string } {
  const name = typed.trim().toLowerCase();
  const isName = name.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/u.test(name);
  if (!isName) return { fault: "it must be a receiver's name or a domain" };
  if (profileOf(keyOf(name)) !== null) return { name };
  if (!name.includes(".")) return { fault: UNKNOWN_RECEIVER };
  const served = PROFILES.find(({ example }) => example?.domain === name);
  if (served !== undefined) return { fault: `it is a recipient domain, whose receiver is ${served.name}` };
  const receiver = nameOf(receiverOf(name));
  return receiver === name ? { name } : { fault: `a mail host of this name is of the receiver ${receiver}` };
}

export type SetResult = { type: "set"; name: string } | { type: "full" } | { type: "invalid"; fault: LimitFault };

type OverrideStore = Pick<KeyValueStore, "readValue" | "writeValue">;

/** Sets those limits of a receiver that are given; the others stay as they are. */
export async function setReceiverLimits(
  store: OverrideStore,
  typedName: string,
  typed: TypedLimits,
): Promise<SetResult> {
  const named = receiverNamed(typedName);
  if ("fault" in named) return { type: "invalid", fault: { field: "name", detail: named.fault } };
  const { name } = named;
  const change: ReceiverOverride = {};
  for (const { field, sets, parse } of LIMITS) {
    const text = typed[field]?.trim() ?? "";
    if (text === "") continue;
    const value = parse(text);
    if (typeof value === "string") return { type: "invalid", fault: { field, detail: value } };
    change[sets] = value;
  }
  if (Object.keys(change).length === 0)
    return { type: "invalid", fault: { field: "connections", detail: "give at least one limit" } };
  const before = (await readReceiverOverrides(store)).get(name) ?? {};
  return (await writeReceiverOverride(store, name, { ...before, ...change }))
    ? { type: "set", name }
    : { type: "full" };
}

/** Removes the limits that are set for a receiver. Returns its name; null if no receiver has the name. */
export async function resetReceiverLimits(store: OverrideStore, typedName: string): Promise<string | null> {
  const name = typedName.trim().toLowerCase();
  // Limits of a name that is none by now can still be removed.
  const isSet = (await readReceiverOverrides(store)).has(name);
  if (!isSet && "fault" in receiverNamed(name)) return null;
  if (isSet) await writeReceiverOverride(store, name, {});
  return name;
}

interface Limit {
  field: keyof TypedLimits;
  sets: keyof ReceiverOverride;
  /** Returns the value, or why the text is not valid. */
  parse: (text: string) => number | string;
}

const LIMITS: readonly Limit[] = [
  { field: "connections", sets: "connections", parse: (text) => numberOf(text, 1000) },
  { field: "messagesPerConnection", sets: "messagesPerConnection", parse: (text) => numberOf(text, 10_000) },
  { field: "messagesPerMinute", sets: "messagesPerMinute", parse: (text) => numberOf(text, 100_000) },
  { field: "pause", sets: "pauseSeconds", parse: secondsOf },
];

const PAUSE_MAX_MS = DAY_MS;

function numberOf(text: string, most: number): number | string {
  const value = /^\d{1,6}$/u.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : `it must be a number from 1 to ${most}`;
}

function secondsOf(text: string): number | string {
  const ms = parseDuration(text);
  const isAllowed = ms !== null && ms >= 1000 && ms <= PAUSE_MAX_MS;
  return isAllowed ? Math.round(ms / 1000) : "it must be a duration from 1s to 24h, such as 15m";
}
