/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The content of a message: HTML, text and source.
 */
import type { Excerpt, ReadableContent } from "../../message/readable-content.ts";
import type { MessageReport } from "../../spool/port/results.ts";

export function MessageContent({ report, content }: { report: MessageReport; content: ReadableContent | null }) {
  if (content === null) {
    return (
      <section>
        <h2>Content</h2>
        <p class="quiet">The content was deleted after the retention period.</p>
      </section>
    );
  }
  const path = `/dashboard/messages/${report.id}`;
  return (
    <section>
      <h2>Content</h2>
      {!content.hasHtml ? null : (
        <details class="card" open>
          <summary>HTML, rendered without network access and scripts</summary>
          <iframe class="html" src={`${path}/html`} sandbox="" title="The message's HTML" />
        </details>
      )}
      {content.text === null ? null : (
        <details class="card" open={!content.hasHtml}>
          <summary>Text</summary>
          <PartBeginning part={content.text} class="body-text" />
        </details>
      )}
      <details class="card">
        <summary>Source</summary>
        <p>
          <a href={`${path}/source`}>Download the source</a>
        </p>
        <PartBeginning part={content.source} class="source" />
      </details>
    </section>
  );
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
