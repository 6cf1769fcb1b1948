/**
 * Finds the objects of a JSON text that comes in parts: those of lines (NDJSON), of an array, or of an array that is a member of one
 * object, as an API returns a page. Memory is bounded by the length of one object. The objects themselves are left to JSON.parse.
 */

export const OBJECT_LENGTH_MAX = 64 * 1024;

export interface JsonRecord {
  /** The line that the object begins in, from 1. */
  line: number;
  text: string;
}

/** The text has no objects where they are expected, or exceeds a limit. */
export class JsonRecordsError extends Error {}

/** A key's length, with quotes, colon and space. */
const KEY_LENGTH_MAX = 100;
const KEY = /"([^"\\]*)"\s*:\s*$/;
const SPACE = /\s/;

const SPECIAL = new Set([...'"\\{}[]\n'].map((character) => character.charCodeAt(0)));

/** Returns where the characters end, from a place on, that change nothing inside of a bracket. */
function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && !SPECIAL.has(text.charCodeAt(end))) end += 1;
  return end;
}

export class JsonRecords {
  readonly #lists: ReadonlySet<string>;
  #open: string[] = [];
  /** How many brackets are open around the object that is read; null outside of one. */
  #depth: number | null = null;
  #text = "";
  #line = 1;
  #recordLine = 1;
  #isInString = false;
  #isEscaped = false;
  #records: JsonRecord[] = [];

  /** `lists`: the names of members that are arrays of the objects. */
  constructor(lists: readonly string[]) {
    this.#lists = new Set(lists);
  }

  /** Takes the next part of the text. Returns the objects that end in it. Throws JsonRecordsError. */
  push(text: string): JsonRecord[] {
    for (let at = 0; at < text.length; ) {
      const end = this.#isEscaped || this.#open.length === 0 ? at : endOfRun(text, at);
      if (end === at) this.#take(text.charAt(at));
      else if (this.#depth !== null) this.#append(text.slice(at, end));
      at = Math.max(end, at + 1);
    }
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Throws JsonRecordsError if the text ends within an object or an array. */
  end(): void {
    if (this.#open.length > 0) throw new JsonRecordsError(`line ${this.#line}: the JSON text ends too early`);
  }

  #take(character: string): void {
    if (character === "\n") this.#line += 1;
    if (this.#depth !== null) this.#append(character);
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
    } else if (character === "{" || character === "[") this.#begin(character);
    else if (character === "}" || character === "]") this.#end(character);
    else if (this.#open.length > 0) this.#isInString = character === '"';
    else if (character !== "," && !SPACE.test(character)) {
      throw new JsonRecordsError(`line ${this.#line}: a JSON object begins with {`);
    }
  }

  #append(text: string): void {
    this.#text += text;
    if (this.#text.length > OBJECT_LENGTH_MAX) {
      throw new JsonRecordsError(`line ${this.#recordLine}: an object has more than ${OBJECT_LENGTH_MAX} characters`);
    }
  }

  #begin(bracket: string): void {
    if (this.#open.length > CONTAINERS_MAX && this.#depth === null) {
      throw new JsonRecordsError(`line ${this.#line}: too many brackets`);
    }
    if (this.#depth === null && bracket === "{" && this.#open.at(-1) !== "{") {
      this.#depth = this.#open.length;
      this.#text = bracket;
      this.#recordLine = this.#line;
    } else if (this.#depth === 0 && bracket === "[" && this.#open.length === 1 && this.#isList()) {
      // The object is the page; its members are not needed.
      this.#depth = null;
    }
    this.#open.push(bracket);
  }

  #isList(): boolean {
    const [, key] = KEY.exec(this.#text.slice(-KEY_LENGTH_MAX, -1)) ?? [];
    return key !== undefined && this.#lists.has(key);
  }

  #end(bracket: string): void {
    if (this.#open.pop() !== (bracket === "}" ? "{" : "[")) {
      throw new JsonRecordsError(`line ${this.#line}: ${bracket} closes nothing`);
    }
    if (this.#open.length !== this.#depth) return;
    this.#records.push({ line: this.#recordLine, text: this.#text });
    this.#depth = null;
    this.#text = "";
  }
}

/** Brackets around an object. */
const CONTAINERS_MAX = 10;
