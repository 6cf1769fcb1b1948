/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A document's Markdown as elements. Each token becomes an element of this file, so nothing of a document reaches the page as HTML: of
 * its own HTML, line breaks and pictures of docs/images are recognized and made anew, and the rest is left out.
 */
import type { MarkedToken, Token, Tokens } from "marked";
import { type ComponentChildren, Fragment, h } from "preact";
import { type DocumentLibrary, imageTarget, linkTarget, type ProjectDocument } from "../web/documents.ts";
import { flowchartLines } from "../web/flowchart.ts";

interface MarkdownProps {
  library: DocumentLibrary;
  document: ProjectDocument;
}

/** The document without its title. */
export function Markdown({ library, document }: MarkdownProps) {
  const { tokens, headings } = document.parsed();
  const shown = tokens.filter((token) => headings.get(token)?.depth !== 1);
  return <Blocks tokens={shown} of={{ library, document }} />;
}

function Blocks({ tokens, of }: { tokens: readonly Token[]; of: MarkdownProps }) {
  return (
    <>
      {(tokens as MarkedToken[]).map((token, i) => (
        <Block key={i} token={token} of={of} />
      ))}
    </>
  );
}

function Block({ token, of }: { token: MarkedToken; of: MarkdownProps }): ComponentChildren {
  switch (token.type) {
    case "heading":
      return <HeadingLine token={token} of={of} />;
    case "paragraph":
      return <p>{inline(token.tokens, of)}</p>;
    case "code": {
      const lines = flowchartLines(token);
      if (lines !== null) return <Flowchart lines={lines} />;
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    }
    case "list":
      return <ListBlock token={token} of={of} />;
    case "table":
      return <TableBlock token={token} of={of} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} of={of} />
        </blockquote>
      );
    case "hr":
      return <hr />;
    case "html":
      return pictureIn(token.text, of);
    case "text":
      return <>{inline(token.tokens ?? [token], of)}</>;
    default:
      return null;
  }
}

function Flowchart({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Leads to itself, for readers who pass on its address. */
function HeadingLine({ token, of }: { token: Tokens.Heading; of: MarkdownProps }) {
  const { id } = of.document.parsed().headings.get(token) ?? { id: undefined };
  const content = inline(token.tokens, of);
  const hasLink = token.tokens.some(({ type }) => type === "link");
  return h(`h${token.depth}`, { id }, hasLink || id === undefined ? content : <a href={`#${id}`}>{content}</a>);
}

function ListBlock({ token: { ordered, start, items }, of }: { token: Tokens.List; of: MarkdownProps }) {
  const entries = items.map((item, i) => (
    <li key={i}>
      <Blocks tokens={item.tokens} of={of} />
    </li>
  ));
  return ordered ? <ol {...(start === 1 || start === "" ? {} : { start })}>{entries}</ol> : <ul>{entries}</ul>;
}

function TableBlock({ token: { header, rows }, of }: { token: Tokens.Table; of: MarkdownProps }) {
  const cells = (row: readonly Tokens.TableCell[], name: "th" | "td") =>
    row.map((cell, i) => {
      const props = name === "th" ? { scope: "col" } : {};
      return h(name, { key: i, ...props }, inline(cell.tokens, of));
    });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(header, "th")}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[], of: MarkdownProps): ComponentChildren {
  return (tokens as MarkedToken[]).map((token, i) => <Fragment key={i}>{inlineOf(token, of)}</Fragment>);
}

function inlineOf(token: MarkedToken, of: MarkdownProps): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, of)}</strong>;
    case "em":
      return <em>{inline(token.tokens, of)}</em>;
    case "del":
      return <del>{inline(token.tokens, of)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link": {
      const { href, title } = linkTarget(of.library, of.document.path, token.href);
      // Pages have titles instead of the names of files.
      const text = title !== null && /^[A-Z-]+\.md$/.test(token.text) ? title : inline(token.tokens, of);
      return href === null ? text : <a href={href}>{text}</a>;
    }
    case "html":
      return /^<br ?\/?>$/.test(token.text) ? <br /> : null;
    case "text":
      return token.tokens === undefined ? token.text : inline(token.tokens, of);
    case "escape":
      return token.text;
    default:
      return null;
  }
}

/** A picture with a light and a dark form, as the documents have them. */
function pictureIn(html: string, { document }: MarkdownProps): ComponentChildren {
  const [, dark = ""] = /\(prefers-color-scheme: dark\)" srcset="([^"]+)"/.exec(html) ?? [];
  const [, light = "", alt = ""] = /<img src="([^"]+)" alt="([^"]*)"/.exec(html) ?? [];
  const [source, darkSource] = [imageTarget(document.path, light), imageTarget(document.path, dark)];
  if (source === null) return null;
  return (
    <picture>
      {darkSource === null ? null : <source media="(prefers-color-scheme: dark)" srcset={darkSource} />}
      <img src={source} alt={alt} loading="lazy" />
    </picture>
  );
}
