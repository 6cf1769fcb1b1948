/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The project's documents as pages: the list of all with a search, and a page for each. They contain nothing of the installation, so
 * they are public; a session adds the dashboard's navigation.
 */
import type { Context } from "koa";
import { DOCUMENT_PAGES } from "../../lib/document-address.ts";
import type { PageProps } from "../views/layout.tsx";
import { Markdown } from "../views/markdown.tsx";
import { DocumentSearch, type FoundSection, SEARCH_MAX } from "../web/document-search.ts";
import { type DocumentLibrary, type ProjectDocument, readDocuments, readImage } from "../web/documents.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type KeptPages, showOpenPage } from "./open-page.ts";

/** The number of sections from which on a page begins with a list of them. */
const SECTIONS_MIN = 4;

interface Opened {
  library: DocumentLibrary;
  search: DocumentSearch;
  kept: KeptPages;
}

/** Read when the first page is asked for, for all parts of the program. */
let opened: Promise<Opened> | undefined;

function open(): Promise<Opened> {
  opened ??= readDocuments().then((library) => ({
    library,
    search: new DocumentSearch(library),
    kept: new Map(),
  }));
  return opened;
}

export function createDocsPages(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  /** `name` is the address of the page; null if it is not kept. */
  async function show(ctx: Context, name: string | null, render: () => PageProps): Promise<unknown> {
    const { kept } = await open();
    return showOpenPage(ctx, parts, kept, { at: "/docs", name, render });
  }

  return {
    "GET /docs": async (ctx) => {
      const { library, search } = await open();
      const { index } = library;
      if (index === null) throw notFound();
      const typed = typeof ctx.query.q === "string" ? ctx.query.q.trim().slice(0, SEARCH_MAX) : "";
      if (typed === "") return show(ctx, index.href, () => contentsPage(library, index));
      const result = await search.find(typed);
      return show(ctx, null, () => foundPage(typed, result));
    },
    "GET /docs/images/:name": async (ctx) => {
      const bytes = await readImage(ctx.params.name ?? "");
      if (bytes === null) throw notFound();
      ctx.type = "image/png";
      ctx.set("Cache-Control", "public, max-age=3600");
      ctx.body = bytes;
    },
    "GET /docs/:name": async (ctx) => {
      const { library } = await open();
      const name = (ctx.params.name ?? "").replace(/\.md$/, "").toLowerCase();
      const document = [...library.all.values()].find(({ href }) => href === `${DOCUMENT_PAGES}/${name}`);
      if (document === undefined) throw notFound();
      if (name !== ctx.params.name) return ctx.redirect(document.href);
      return show(ctx, document.href, () => documentPage(library, document));
    },
  };
}

const STYLES = ["docs.css"];

function contentsPage(library: DocumentLibrary, index: ProjectDocument): PageProps {
  return {
    title: index.title,
    styles: STYLES,
    children: (
      <article class="doc doc-index">
        <h1>{index.title}</h1>
        <SearchForm search="" />
        <Markdown library={library} document={index} />
      </article>
    ),
  };
}

function documentPage(library: DocumentLibrary, document: ProjectDocument): PageProps {
  return {
    title: document.title,
    styles: STYLES,
    children: (
      <div class="docs">
        <DocumentList library={library} at={document} />
        <article class="doc">
          <div class="doc-head">
            <p>
              <a href={DOCUMENT_PAGES}>All documents</a>
            </p>
            <SearchForm search="" />
          </div>
          <h1>{document.title}</h1>
          <Sections document={document} />
          <Markdown library={library} document={document} />
        </article>
      </div>
    ),
  };
}

function foundPage(search: string, { found, isCut }: { found: FoundSection[]; isCut: boolean }): PageProps {
  return {
    title: `${search} (documentation)`,
    styles: STYLES,
    children: (
      <div class="doc">
        <p>
          <a href={DOCUMENT_PAGES}>All documents</a>
        </p>
        <h1>Search the documentation</h1>
        <SearchForm search={search} />
        <p role="status">{verdict(found.length, isCut)}</p>
        <ol class="doc-found">
          {found.map(({ document, title, href, excerpt }) => (
            <li key={href}>
              <h2>
                <a href={href}>{title}</a>
              </h2>
              {title === document.title ? null : <p class="quiet">{document.title}</p>}
              <p>{excerpt}</p>
            </li>
          ))}
        </ol>
      </div>
    ),
  };
}

function verdict(count: number, isCut: boolean): string {
  if (count === 0) return "No section has all these words. Try fewer of them.";
  if (isCut) return `The first ${count} sections. Add a word to find fewer.`;
  return count === 1 ? "1 section" : `${count} sections`;
}

function SearchForm({ search }: { search: string }) {
  return (
    <search>
      <form method="get" action={DOCUMENT_PAGES} class="doc-search">
        <label class="unseen" for="docs-search">
          Search the documentation
        </label>
        <input
          id="docs-search"
          type="search"
          name="q"
          value={search}
          maxLength={SEARCH_MAX}
          placeholder="Words, settings, codes"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function DocumentList({ library: { groups }, at }: { library: DocumentLibrary; at: ProjectDocument }) {
  return (
    <nav class="doc-list" aria-label="Documents">
      {groups.map(({ title, documents }) => (
        <section key={title}>
          <p class="nav-title">{title}</p>
          <ul>
            {documents.map((document) => (
              <li key={document.path}>
                <a href={document.href} aria-current={document === at ? "page" : undefined}>
                  {document.title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Sections({ document }: { document: ProjectDocument }) {
  const sections = [...document.parsed().headings.values()].filter(({ depth }) => depth === 2);
  if (sections.length < SECTIONS_MIN) return null;
  return (
    <details class="doc-sections">
      <summary>On this page</summary>
      <ul>
        {sections.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
