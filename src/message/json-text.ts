/**
 * Reads a JSON text from a stranger (RFC 8259), within bounds. JSON.parse alone takes seconds for 10 MB of brackets, during
 * which nothing else runs, and of a member that is there twice it silently takes the last, where a program in between may have
 * looked at the first.
 */
import { ERRORS_MAX, type FieldError, fieldName } from "./request-fault.ts";

export type ParsedJson =
  | { type: "parsed"; value: unknown }
  | { type: "invalid"; code: "invalid_json"; detail: string }
  | { type: "invalid"; code: "invalid_request"; errors: FieldError[] };

/** Lists, objects and entries of a text: far more than the largest valid request has. */
export const JSON_PARTS_MAX = 100_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function parseJson(bytes: Buffer): ParsedJson {
  if (hasTooManyParts(bytes)) return tooManyParts();
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return notJson("The body is not valid UTF-8.");
  }
  if (text.trim() === "") return notJson("The body is empty; it must be a JSON object.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson("The body is not valid JSON.");
  }
  // Counting costs a hundredth of what looking at each name would.
  if (membersWritten(text) === membersOf(value)) return { type: "parsed", value };
  return { type: "invalid", code: "invalid_request", errors: repeatedMembers(text) };
}

const notJson = (detail: string): ParsedJson => ({ type: "invalid", code: "invalid_json", detail });

function tooManyParts(): ParsedJson {
  const detail = `There are more than ${JSON_PARTS_MAX} lists, objects and entries.`;
  return { type: "invalid", code: "invalid_request", errors: [{ field: "body", detail }] };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Whether a text has more than JSON_PARTS_MAX parts. A shorter text is not even looked at. */
export function hasTooManyParts(json: Buffer): boolean {
  if (json.length <= JSON_PARTS_MAX) return false;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfStringBytes(json, at + 1);
    else if (beginsPart(byte) && ++parts > JSON_PARTS_MAX) return true;
  }
  return false;
}

/** `[`, `{` or `,`. */
const beginsPart = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b || byte === 0x2c;

/** Where its closing quote is. Byte by byte: a search for each quote takes longer where most are escaped. */
function endOfStringBytes(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The members of all objects in a valid text, repeated ones included: its colons outside strings. */
function membersWritten(json: string): number {
  let members = 0;
  for (let at = 0; ; ) {
    const quote = json.indexOf('"', at);
    const end = quote === -1 ? json.length : quote;
    for (let i = at; i < end; i += 1) if (json.charCodeAt(i) === COLON) members += 1;
    if (quote === -1) return members;
    at = endOfString(json, quote + 1) + 1;
  }
}

/** The index of a string's closing quote. */
function endOfString(json: string, from: number): number {
  let at = json.indexOf('"', from);
  while (isEscaped(json, at, from)) at = json.indexOf('"', at + 1);
  return at;
}

function isEscaped(json: string, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && json.charCodeAt(at - backslashes - 1) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** The members of all objects in a value. Without recursion: a text may be nested a hundred thousand deep. */
function membersOf(value: unknown): number {
  let members = 0;
  const left = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) members += inner.length;
    for (const each of inner) if (typeof each === "object" && each !== null) left.push(each);
  }
  return members;
}

interface Level {
  /** Of an object; null for an array. */
  names: Set<string> | null;
  /** How its next value is reached: a member's name or an index. */
  step: string;
  index: number;
  expectsName: boolean;
}

/** Levels that the name of a field shows; no field of a valid request has more than three. */
const FIELD_DEPTH_MAX = 10;

/** The members of a valid text that stand twice in an object, by field. */
function repeatedMembers(json: string): FieldError[] {
  const fields = new Set<string>();
  const levels: Level[] = [];
  for (let at = 0; at < json.length && fields.size < ERRORS_MAX; at += 1) {
    const level = levels.at(-1);
    const character = json[at];
    if (character === "{") levels.push({ names: new Set(), step: "", index: 0, expectsName: true });
    else if (character === "[") levels.push({ names: null, step: "0", index: 0, expectsName: false });
    else if (character === "}" || character === "]") levels.pop();
    else if (character === "," && level !== undefined) goOn(level);
    else if (character === '"') {
      const end = endOfString(json, at + 1);
      if (level?.expectsName) {
        level.step = JSON.parse(json.slice(at, end + 1));
        level.expectsName = false;
        if (level.names?.has(level.step))
          fields.add(fieldName(levels.slice(0, FIELD_DEPTH_MAX).map(({ step }) => step)));
        level.names?.add(level.step);
      }
      at = end;
    }
  }
  return [...fields].map((field) => ({ field, detail: "This member is there more than once." }));
}

function goOn(level: Level): void {
  level.index += 1;
  if (level.names === null) level.step = String(level.index);
  else level.expectsName = true;
}
