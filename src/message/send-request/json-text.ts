/**
 * Parses untrusted JSON (RFC 8259) within limits. JSON.parse blocks the thread for seconds on 10 MB of brackets. Of
 * repeated members it silently takes the last, while a program in between may have checked the first.
 */
import { isAscii } from "node:buffer";
import { ERRORS_MAX, type FieldError, fieldName } from "../field-errors.ts";

export type ParsedJson =
  | { type: "parsed"; value: unknown }
  | { type: "invalid"; code: "invalid_json"; detail: string }
  | { type: "invalid"; code: "invalid_request"; errors: FieldError[] };

/** Arrays, objects and entries of a text: far more than the largest valid request has. */
export const JSON_PARTS_MAX = 100_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a request's body. Rejects texts with too many parts or with repeated members. */
export function parseJson(bytes: Buffer): ParsedJson {
  let text: string;
  try {
    text = textOf(bytes);
  } catch {
    return notJson("The body is not valid UTF-8.");
  }
  if (text.trim() === "") return notJson("The body is empty; it must be a JSON object.");
  const written = countWritten(text);
  if (written.parts > JSON_PARTS_MAX) return tooManyParts();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson("The body is not valid JSON.");
  }
  // Counting takes a hundredth of the time of comparing names.
  if (written.members === countMembers(value)) return { type: "parsed", value };
  return { type: "invalid", code: "invalid_request", errors: repeatedMembers(text) };
}

/** A fifth of the decoder's time for ASCII, as most bodies are. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes);
}

const notJson = (detail: string): ParsedJson => ({ type: "invalid", code: "invalid_json", detail });

function tooManyParts(): ParsedJson {
  const detail = `The body has more than ${JSON_PARTS_MAX} arrays, objects and entries.`;
  return { type: "invalid", code: "invalid_request", errors: [{ field: "body", detail }] };
}

const BACKSLASH = 0x5c;
const COLON = 0x3a;

interface Written {
  /** Members of all objects, repeated ones included: the colons outside strings. */
  members: number;
  /** Arrays, objects and entries: the `[`, `{` and `,` outside strings. */
  parts: number;
}

/** Counts what a text contains, which may be invalid. Stops once there are more than JSON_PARTS_MAX parts. */
function countWritten(json: string): Written {
  const written = { members: 0, parts: 0 };
  for (let at = 0; written.parts <= JSON_PARTS_MAX; ) {
    const quote = json.indexOf('"', at);
    const end = quote === -1 ? json.length : quote;
    for (let i = at; i < end; i += 1) {
      const character = json.charCodeAt(i);
      if (character === COLON) written.members += 1;
      else if (beginsPart(character)) written.parts += 1;
    }
    const closing = quote === -1 ? -1 : endOfString(json, quote + 1);
    if (closing === -1) break;
    at = closing + 1;
  }
  return written;
}

/** `[`, `{` or `,`. */
const beginsPart = (character: number): boolean => character === 0x5b || character === 0x7b || character === 0x2c;

/** The index of a string's closing quote; -1 if it has none. */
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

/** Members of all objects in a value. Not recursive: a text can be nested a hundred thousand levels deep. */
function countMembers(value: unknown): number {
  let members = 0;
  const stack = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) members += inner.length;
    for (const each of inner) if (typeof each === "object" && each !== null) stack.push(each);
  }
  return members;
}

/** An object or array that is open at the current position. */
interface Level {
  /** Member names so far; null for an array. */
  names: Set<string> | null;
  /** The path step to the next value: a member's name or an index. */
  step: string;
  index: number;
  expectsName: boolean;
}

/** Levels in the name of a field. Fields of a valid request have at most three. */
const FIELD_DEPTH_MAX = 10;

/** Returns an error for each member that occurs more than once in its object. The text must be valid JSON. */
function repeatedMembers(json: string): FieldError[] {
  const fields = new Set<string>();
  const levels: Level[] = [];
  for (let at = 0; at < json.length && fields.size < ERRORS_MAX; at += 1) {
    const level = levels.at(-1);
    const character = json[at];
    if (character === "{") levels.push({ names: new Set(), step: "", index: 0, expectsName: true });
    else if (character === "[") levels.push({ names: null, step: "0", index: 0, expectsName: false });
    else if (character === "}" || character === "]") levels.pop();
    else if (character === "," && level !== undefined) advance(level);
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
  return [...fields].map((field) => ({ field, detail: "This member occurs more than once." }));
}

function advance(level: Level): void {
  level.index += 1;
  if (level.names === null) level.step = String(level.index);
  else level.expectsName = true;
}
