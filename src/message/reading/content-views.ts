/** What pages and clients read of a stored message. Every reader takes any content, and is linear in its length. */
import { attachedFile } from "./attached-files.ts";
import { bodiesOf } from "./message-bodies.ts";
import { htmlDocumentOf, readContent } from "./readable-content.ts";

/** The readers, by the names that the reports have for them. `part`: see attachedFile. */
export const CONTENT_VIEWS = {
  viewOf: (content: Buffer) => readContent(content),
  htmlOf: (content: Buffer) => htmlDocumentOf(content),
  bodiesOf: (content: Buffer) => bodiesOf(content),
  attachmentOf: (content: Buffer, part: number) => attachedFile(content, part),
} as const;

export type ContentViewName = keyof typeof CONTENT_VIEWS;

export type ContentView<Name extends ContentViewName> = ReturnType<(typeof CONTENT_VIEWS)[Name]>;
