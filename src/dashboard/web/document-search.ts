/** Finds the sections of the project's documents that have all words of a search, in their headings or their text. */
import { setImmediate } from "node:timers/promises";
import type { MarkedToken } from "marked";
import { type DocumentLibrary, type ProjectDocument, plainText } from "./documents.ts";

/** Of a search, in characters; of its words; of what is found. */
export const SEARCH_MAX = 100;
const WORDS_MAX = 8;
const FOUND_MAX = 40;
/** Of the text that is shown of a section: before its first word that was searched for, and in all. */
const BEFORE_LENGTH = 60;
const EXCERPT_LENGTH = 220;

export interface FoundSection {
  document: ProjectDocument;
  /** Of the section; that of the document for its beginning. */
  title: string;
  href: string;
  excerpt: string;
}

interface Section {
  document: ProjectDocument;
  title: string;
  href: string;
  text: string;
  /** In lower case: the headings, and both. */
  headings: string;
  all: string;
}

export class DocumentSearch {
  readonly #library: DocumentLibrary;
  #sections: Promise<Section[]> | undefined;

  constructor(library: DocumentLibrary) {
    this.#library = library;
  }

  /** Sections with the words in their headings come first; `isCut` if there are more than are returned. */
  async find(search: string): Promise<{ found: FoundSection[]; isCut: boolean }> {
    const words = search.slice(0, SEARCH_MAX).toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
    if (words.length === 0) return { found: [], isCut: false };
    this.#sections ??= sectionsOf(this.#library);
    const matching = (await this.#sections).filter(({ all }) => words.every((word) => all.includes(word)));
    const rank = ({ headings }: Section): number => words.filter((word) => headings.includes(word)).length;
    const ranked = matching.toSorted((a, b) => rank(b) - rank(a)).slice(0, FOUND_MAX);
    return {
      found: ranked.map(({ document, title, href, text }) => ({
        document,
        title,
        href,
        excerpt: excerpt(text, words),
      })),
      isCut: matching.length > FOUND_MAX,
    };
  }
}

/** Parses all documents, one in each turn of the event loop: messages are accepted between them. */
async function sectionsOf({ all, index }: DocumentLibrary): Promise<Section[]> {
  const sections: Section[] = [];
  for (const document of all.values()) {
    if (document === index) continue;
    sections.push(...sectionsIn(document));
    await setImmediate();
  }
  return sections;
}

function sectionsIn(document: ProjectDocument): Section[] {
  const { tokens, headings } = document.parsed();
  const sections: { title: string; href: string; texts: string[] }[] = [];
  for (const token of tokens as MarkedToken[]) {
    const heading = headings.get(token);
    if (heading === undefined) sections.at(-1)?.texts.push(plainText([token]));
    else if (heading.depth === 1) sections.push({ title: document.title, href: document.href, texts: [] });
    else sections.push({ title: heading.text, href: `${document.href}#${heading.id}`, texts: [] });
  }
  return sections.map(({ title, href, texts }) => {
    const text = texts.join(" ").replace(/\s+/g, " ").trim();
    const all = `${document.title} ${title} ${text}`.toLowerCase();
    return { document, title, href, text, headings: `${document.title} ${title}`.toLowerCase(), all };
  });
}

function excerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first <= BEFORE_LENGTH ? 0 : text.indexOf(" ", first - BEFORE_LENGTH) + 1;
  const end = text.length <= start + EXCERPT_LENGTH ? text.length : text.lastIndexOf(" ", start + EXCERPT_LENGTH);
  const shown = text.slice(start, end > start ? end : start + EXCERPT_LENGTH);
  return `${start > 0 ? "… " : ""}${shown}${start + shown.length < text.length ? " …" : ""}`;
}
