/**
 * The project's documents, as they are beside the program: those of docs/ and, of the folder above it, the README, the changelog and the
 * guide for contributors. They are read once, when the first page is asked for; each is parsed when it is first shown or searched.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, posix } from "node:path";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { DOCUMENT_PAGES, documentPage } from "../../lib/document-address.ts";
import { flowchartLines } from "./flowchart.ts";

/** The parent of docs/, for the sources and for what is compiled of them. */
const ROOT = new URL("../../../", import.meta.url);
const BESIDE = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"];
/** Answers which document has what, and groups them. */
const INDEX = "docs/README.md";

export interface Heading {
  /** Unique in its document; as GitHub forms it, so links work in both places. */
  id: string;
  depth: number;
  text: string;
}

export interface ParsedDocument {
  tokens: Token[];
  headings: ReadonlyMap<Token, Heading>;
}

export interface ProjectDocument {
  /** Such as `docs/OPERATIONS.md`. */
  path: string;
  /** Of its page. */
  href: string;
  title: string;
  /** Parsed at the first call. */
  parsed(): ParsedDocument;
}

export interface DocumentGroup {
  title: string;
  documents: ProjectDocument[];
}

export interface DocumentLibrary {
  /** The list of all documents; null where the program has none. */
  index: ProjectDocument | null;
  /** By path; the order is that of the groups, then of the names. */
  all: ReadonlyMap<string, ProjectDocument>;
  /** As the index has them. */
  groups: DocumentGroup[];
}

export async function readDocuments(root: URL = ROOT): Promise<DocumentLibrary> {
  const names = await readdir(new URL("docs/", root)).catch(() => []);
  const paths = [...names.filter((name) => /^[A-Z-]+\.md$/.test(name)).map((name) => `docs/${name}`), ...BESIDE];
  const read = await Promise.all(paths.toSorted().map((path) => documentAt(path, root)));
  const found = new Map(read.flatMap((each) => (each === null ? [] : [[each.path, each] as const])));
  const index = found.get(INDEX) ?? null;
  const groups = index === null ? [] : groupsOf(index, found);
  const grouped = groups.flatMap(({ documents }) => documents);
  const all = new Map([...grouped, ...found.values()].map((each) => [each.path, each]));
  return { index, all, groups };
}

async function documentAt(path: string, root: URL): Promise<ProjectDocument | null> {
  const source = await readFile(new URL(path, root), "utf8").catch(() => null);
  if (source === null) return null;
  const [, title = path] = /^# (.+)$/m.exec(source) ?? [];
  let parsed: ParsedDocument | undefined;
  return {
    path,
    href: hrefOf(path),
    title: title.replaceAll("`", ""),
    parsed() {
      parsed ??= parse(source);
      return parsed;
    },
  };
}

/** The README above docs/ has the name of its own that the list of documents leaves it. */
const hrefOf = (path: string): string =>
  path === "README.md" ? `${DOCUMENT_PAGES}/readme` : documentPage(basename(path, ".md"));

function parse(source: string): ParsedDocument {
  const tokens = lexer(source);
  const headings = new Map<Token, Heading>();
  const uses = new Map<string, number>();
  for (const token of tokens as MarkedToken[]) {
    if (token.type !== "heading") continue;
    const text = plainText(token.tokens);
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const used = uses.get(slug) ?? 0;
    uses.set(slug, used + 1);
    headings.set(token, { id: used === 0 ? slug : `${slug}-${used}`, depth: token.depth, text });
  }
  return { tokens, headings };
}

/** The text of tokens without their markup. */
export function plainText(tokens: readonly Token[]): string {
  return (tokens as MarkedToken[]).map(textOf).join("");
}

function textOf(token: MarkedToken): string {
  switch (token.type) {
    case "list":
      return token.items.map(({ tokens }) => `${plainText(tokens)} `).join("");
    case "table":
      return [token.header, ...token.rows].flatMap((row) => row.map((cell) => `${plainText(cell.tokens)} `)).join("");
    case "code":
      return flowchartLines(token)?.join(" ") ?? token.text;
    case "codespan":
    case "escape":
      return token.text;
    case "html":
    case "def":
      return "";
    case "br":
    case "space":
    case "hr":
      return " ";
    case "checkbox":
      return "";
    default:
      return token.tokens === undefined ? token.text : plainText(token.tokens);
  }
}

/** The documents that the tables of the index name, by the heading above each. */
function groupsOf(index: ProjectDocument, found: ReadonlyMap<string, ProjectDocument>): DocumentGroup[] {
  const { tokens, headings } = index.parsed();
  const groups: DocumentGroup[] = [];
  for (const token of tokens as MarkedToken[]) {
    const heading = headings.get(token);
    if (heading?.depth === 2) groups.push({ title: heading.text, documents: [] });
    if (token.type !== "table") continue;
    for (const [cell] of token.rows) {
      const link = cell?.tokens.find((each): each is Tokens.Link => each.type === "link");
      const document = link === undefined ? undefined : found.get(pathFrom(index.path, link.href));
      if (document !== undefined) groups.at(-1)?.documents.push(document);
    }
  }
  return groups.filter(({ documents }) => documents.length > 0);
}

/** The path of a file that the document at `path` refers to, without the fragment. */
const pathFrom = (path: string, href: string): string => posix.join(posix.dirname(path), href.split("#")[0] ?? "");

export interface LinkTarget {
  /** Null if the link leads to a file that is not shown. */
  href: string | null;
  /** Of the document that it leads to; null for all else. */
  title: string | null;
}

/** Where a link of the document at `path` leads from its page. */
export function linkTarget({ all }: DocumentLibrary, path: string, href: string): LinkTarget {
  if (href.startsWith("#") || /^https?:\/\//.test(href)) return { href, title: null };
  const target = all.get(pathFrom(path, href));
  if (target === undefined) return { href: null, title: null };
  return { href: `${target.href}${/#.*$/.exec(href)?.[0] ?? ""}`, title: target.title };
}

/** The image that the document at `path` names; null for what is not an image of the documents. */
export function imageTarget(path: string, source: string): string | null {
  const [, name] = /^docs\/images\/([a-z-]+\.png)$/.exec(pathFrom(path, source)) ?? [];
  return name === undefined ? null : `${DOCUMENT_PAGES}/images/${name}`;
}

/** The bytes of an image of the documents; null if there is none of that name. */
export function readImage(name: string): Promise<Buffer | null> {
  if (!/^[a-z-]+\.png$/.test(name)) return Promise.resolve(null);
  return readFile(new URL(`docs/images/${name}`, ROOT)).catch(() => null);
}
