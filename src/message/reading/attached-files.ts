/**
 * The files in a stored message: every part but the text and the HTML that are shown as its bodies. Their names are those that the
 * message gives them, made safe to be saved under.
 */
import { detectExtension, parseHeaderValue } from "nodemailer/lib/mime-funcs";
import { decodeWords } from "../encoded-words.ts";
import { type LeafPart, leafParts } from "./text-parts.ts";
import { decodedSize, decodeTransfer } from "./transfer-decoding.ts";

export interface AttachedFile {
  /** The place of its part among the leaf parts, from 0. */
  part: number;
  /** Null if the message gives it none. */
  filename: string | null;
  /** The media type, without parameters. */
  type: string;
  /** Decoded. */
  sizeBytes: number;
  /** Without angle brackets; null unless the HTML can show the file by it. */
  contentId: string | null;
}

export interface AttachedFiles {
  files: AttachedFile[];
  /** How many further files the message has. */
  omitted: number;
}

export interface FileContent {
  /** Not empty. */
  filename: string;
  bytes: Buffer;
}

/** Files that are listed. A send request may have 100. */
export const FILES_MAX = 200;

const FILENAME_LENGTH_MAX = 255;
const CONTENT_ID_LENGTH_MAX = 200;
const TYPE_LENGTH_MAX = 100;

export function attachedFiles(content: Buffer): AttachedFiles {
  const files: AttachedFile[] = [];
  let omitted = 0;
  for (const [part, leaf] of fileParts(content)) {
    if (files.length === FILES_MAX) omitted += 1;
    else files.push(describe(part, leaf));
  }
  return { files, omitted };
}

/** Returns the file in a part, with a name in any case; null if the part is no file. */
export function attachedFile(content: Buffer, part: number): FileContent | null {
  for (const [number, leaf] of fileParts(content)) {
    if (number !== part) continue;
    const { filename, type } = describe(part, leaf);
    const { bytes } = decodeTransfer(leaf.body, leaf.encoding, leaf.body.length);
    return { filename: filename ?? `attachment-${part}.${detectExtension(type)}`, bytes };
  }
  return null;
}

/** Returns the value of the part's Content-ID without angle brackets; null if there is none. */
export function contentIdOf({ fields }: LeafPart): string | null {
  const id = /^<?([^<>\s]+)>?/.exec(fields.get("content-id") ?? "")?.[1];
  return id?.slice(0, CONTENT_ID_LENGTH_MAX) ?? null;
}

const BODY_TYPES: readonly string[] = ["text/plain", "text/html"];

/** Yields what textParts does not return. */
function* fileParts(content: Buffer): Generator<[part: number, leaf: LeafPart], void> {
  const bodies = new Set<string>();
  let part = 0;
  for (const leaf of leafParts(content)) {
    const isBody = !leaf.isAttachment && BODY_TYPES.includes(leaf.type) && !bodies.has(leaf.type);
    if (isBody) bodies.add(leaf.type);
    else yield [part, leaf];
    part += 1;
  }
}

function describe(part: number, leaf: LeafPart): AttachedFile {
  const { body, encoding, type } = leaf;
  return {
    part,
    filename: filenameOf(leaf),
    type: type.slice(0, TYPE_LENGTH_MAX),
    sizeBytes: decodedSize(body, encoding),
    contentId: contentIdOf(leaf),
  };
}

function filenameOf({ fields }: LeafPart): string | null {
  const named = (field: string, parameter: string): string | undefined =>
    parseHeaderValue(fields.get(field) ?? "").params[parameter];
  const name = named("content-disposition", "filename") ?? named("content-type", "name");
  return name === undefined ? null : safeFilename(decodeWords(name));
}

/** Path separators, control characters, and those that show a name in another direction than its letters have. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function safeFilename(name: string): string | null {
  const safe = [...name.toWellFormed().replace(UNSAFE, "_").trim()].slice(0, FILENAME_LENGTH_MAX).join("");
  return /^\.*$/.test(safe) ? null : safe;
}
