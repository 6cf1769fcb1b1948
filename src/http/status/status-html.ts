/**
 * The status page as HTML: one document that loads nothing. Its style and its script are allowed by their hashes. Without scripts, times are
 * in UTC, and a page of a pending message reloads itself.
 */
import { createHash } from "node:crypto";
import type { RecipientStatus, StatusState } from "../../app/status/recipient-status.ts";
import { type Markup, statusDetail, updatedText } from "../../app/status/status-detail.ts";
import { type Language, STATUS_TEXTS } from "../../app/status/status-texts.ts";

const REFRESH_S = 10;

const STYLE = `
:root { color-scheme: light dark; --page: #f6f7f8; --card: #fff; --line: #dde1e4; --text: #1b2226; --quiet: #56626a;
  --pending: #23578f; --delivered: #136c3a; --failed: #ad1f2d; --unknown: #865200; --returned: #ad1f2d }
@media (prefers-color-scheme: dark) {
  :root { --page: #13181b; --card: #1b2226; --line: #2d373d; --text: #e6eaec; --quiet: #9eabb3;
    --pending: #94c3f3; --delivered: #73d49a; --failed: #ff9aa4; --unknown: #f2c069; --returned: #ff9aa4 }
}
body { margin: 0; padding: 16px; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 34rem; margin: 8vh auto 0; padding: 20px 24px; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
h1 { margin: 0 0 16px; font-size: 1rem; font-weight: 600; color: var(--quiet) }
h2 { margin: 0 0 8px; font-size: 1.375rem; line-height: 1.25 }
p { margin: 0 0 12px }
.quiet { margin: 0; font-size: .875rem; color: var(--quiet) }
${(["pending", "delivered", "failed", "unknown", "returned"] satisfies StatusState[])
  .map((state) => `.${state} h2 { color: var(--${state}) }`)
  .join("\n")}
`;

/** Shows times in the reader's time zone, and what has changed. A hidden page asks nothing. */
const SCRIPT = `
const { lang } = document.documentElement;
const locale = navigator.language.startsWith(lang) ? navigator.language : lang;
const panel = document.getElementById("status");
let shown = panel.innerHTML;
function localize() {
  for (const time of panel.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    time.title = time.dateTime;
    time.textContent = time.dataset.part === "date"
      ? at.toLocaleDateString(locale, { year, month: "long", day: "numeric" })
      : at.toLocaleTimeString(locale);
  }
}
async function update() {
  if (panel.className !== "pending") return;
  setTimeout(update, ${REFRESH_S * 1000});
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (response === null || !(response.ok || response.status === 404)) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const next = page.getElementById("status");
  if (next.innerHTML === shown) return;
  shown = next.innerHTML;
  panel.className = next.className;
  panel.innerHTML = shown;
  localize();
}
localize();
setTimeout(update, ${REFRESH_S * 1000});
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The Content-Security-Policy of the page. */
export const STATUS_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

const MARKUP: Markup = {
  text: escaped,
  moment: (atMs, shown, part) =>
    `<time datetime="${new Date(atMs).toISOString()}" data-part="${part}">${escaped(shown)}</time>`,
};

export interface ShownStatus {
  status: RecipientStatus;
  /** The masked address. */
  address: string;
  language: Language;
  nowMs: number;
}

/** Renders the page of a status. */
export function statusHtml({ status, address, language, nowMs }: ShownStatus): string {
  const texts = STATUS_TEXTS[language];
  const writing = { language, nowMs, markup: MARKUP };
  const isPending = status.state === "pending";
  return documentOf(language, {
    state: status.state,
    refreshS: isPending ? REFRESH_S : null,
    content: `<h2>${escaped(texts.headings[status.state])}</h2>
<p>${statusDetail(status, address, writing)}</p>
<p class="quiet">${escaped(texts.to)}: ${escaped(address)}</p>
<p class="quiet">${updatedText(status, writing)}${isPending ? ` ${escaped(texts.refreshes)}` : ""}</p>`,
  });
}

/** Renders the page of a link that is not valid or has ended, or of a status that cannot be read now. */
export function statusFaultHtml(language: Language, fault: "gone" | "busy"): string {
  const { heading, sentence } = STATUS_TEXTS[language][fault];
  return documentOf(language, {
    state: "unknown",
    refreshS: null,
    content: `<h2>${escaped(heading)}</h2>\n<p>${escaped(sentence)}</p>`,
  });
}

interface Content {
  state: StatusState;
  /** Null: the page does not reload itself. */
  refreshS: number | null;
  content: string;
}

function documentOf(language: Language, { state, refreshS, content }: Content): string {
  const title = escaped(STATUS_TEXTS[language].title);
  const refresh = refreshS === null ? "" : `\n<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">${refresh}
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<div id="status" role="status" class="${state}">
${content}
</div>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}
