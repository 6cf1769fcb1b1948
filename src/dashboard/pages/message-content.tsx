/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The content of a message: a preview of its HTML, its text, its source and its files, one of them at a time. Each is a link, so it needs
 * no script; message.js loads it without the rest of the page.
 */
import { isSecretContent } from "../../app/send/link-message.ts";
import type { AttachedFile, AttachedFiles } from "../../message/reading/attached-files.ts";
import type { Excerpt, ReadableContent } from "../../message/reading/readable-content.ts";
import { Table } from "../views/components.tsx";
import { plural, sizeText } from "../views/labels.ts";
import { CONTENT_TABS, type ContentTab, type MessageState, messagePath } from "./message-state.ts";

const CONTENT_ANCHOR = "message-content";

export function MessageContent({ state }: { state: MessageState }) {
  const { report, content } = state;
  return (
    <section id={CONTENT_ANCHOR} aria-labelledby={`${CONTENT_ANCHOR}-title`}>
      {content === null ? (
        <>
          <h2 id={`${CONTENT_ANCHOR}-title`}>Content</h2>
          <p class="quiet">
            {isSecretContent(report.keyId)
              ? "The content has a secret link for its recipient. It is not shown here."
              : "The content was deleted after the retention period."}
          </p>
        </>
      ) : (
        <Tabs state={state} content={content} />
      )}
    </section>
  );
}

function Tabs({ state: { report, tab, opened }, content }: { state: MessageState; content: ReadableContent }) {
  const tabs = CONTENT_TABS.filter((each) => has(content, each));
  const shown = tab !== null && tabs.includes(tab) ? tab : tabs[0];
  const linkTo = (each: ContentTab): string => {
    const [path = ""] = messagePath(report.id, { tab: each, ...(opened === null ? {} : { opened }) }).split("#");
    return `${path}#${CONTENT_ANCHOR}`;
  };
  return (
    <>
      <div class="title-row">
        <h2 id={`${CONTENT_ANCHOR}-title`}>Content</h2>
        <nav class="tabs" aria-label="Content">
          {tabs.map((each) => (
            <a key={each} href={linkTo(each)} {...(each === shown ? { "aria-current": "page" as const } : {})}>
              {titleOf(each, content)}
            </a>
          ))}
        </nav>
      </div>
      <div class="card stack">
        <Shown tab={shown ?? "source"} path={`/dashboard/messages/${report.id}`} content={content} />
      </div>
    </>
  );
}

function has({ hasHtml, text, attachments }: ReadableContent, tab: ContentTab): boolean {
  if (tab === "preview") return hasHtml;
  if (tab === "text") return text !== null;
  return tab === "source" || attachments.files.length > 0;
}

function titleOf(tab: ContentTab, { attachments: { files, omitted } }: ReadableContent): string {
  if (tab === "attachments") return `Attachments (${files.length + omitted})`;
  return { preview: "Preview", text: "Text", source: "Source" }[tab];
}

function Shown({ tab, path, content }: { tab: ContentTab; path: string; content: ReadableContent }) {
  switch (tab) {
    case "preview":
      return (
        <>
          <p class="quiet">Rendered without network access and scripts. Only images inside the message are shown.</p>
          <iframe class="html" src={`${path}/html`} sandbox="" title="The message's HTML" />
        </>
      );
    case "text":
      return content.text === null ? null : <PartBeginning part={content.text} class="body-text" />;
    case "source":
      return (
        <>
          <p>
            <a href={`${path}/source`}>Download the source</a>{" "}
            <span class="quiet">({sizeText(content.sizeBytes)})</span>
          </p>
          <PartBeginning part={content.source} class="source" />
        </>
      );
    case "attachments":
      return <Attachments path={path} attachments={content.attachments} />;
  }
}

function PartBeginning({ part, class: name }: { part: Excerpt; class: string }) {
  return (
    <>
      {part.isTruncated ? (
        <p class="quiet">Only the beginning is shown. Download the source to see all of it.</p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class={name} tabIndex={0}>
        {part.text}
      </pre>
    </>
  );
}

function Attachments({ path, attachments: { files, omitted } }: { path: string; attachments: AttachedFiles }) {
  return (
    <>
      <Table label="Attachments" class="stacked pairs" head={["Name", "Size", "Type", "Content-ID"]}>
        {files.map((file) => (
          <FileRow key={file.part} path={path} file={file} />
        ))}
      </Table>
      {omitted === 0 ? null : (
        <p class="quiet">{plural(omitted, "more file")}. Download the source to see all of them.</p>
      )}
    </>
  );
}

function FileRow({ path, file: { part, filename, sizeBytes, type, contentId } }: { path: string; file: AttachedFile }) {
  return (
    <tr>
      <th scope="row" class="left">
        <a href={`${path}/attachments/${part}`} download>
          {filename ?? "Without a name"}
        </a>
      </th>
      <td class="number right">{sizeText(sizeBytes)}</td>
      <td class="small">{type}</td>
      <td class="small right">{contentId === null ? "" : <code>{contentId}</code>}</td>
    </tr>
  );
}
