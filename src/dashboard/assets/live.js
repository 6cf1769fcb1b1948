/**
 * Keeps a page up to date while somebody sees it: asks a small endpoint for a version every few seconds, and only when
 * it has changed loads the page again and takes its live parts over. What the reader has opened or focused stays.
 */
const LOOK_MS = 4000;
/** While requests fail, looks become this rare at most. */
const LOOK_MAX_MS = 60_000;

const live = document.querySelector("[data-live]");
let gapMs = LOOK_MS;

async function look() {
  const answer = await fetch(live.dataset.live, { headers: { Accept: "application/json" } });
  if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
  const state = await answer.json();
  if (state.columns !== undefined) {
    document.dispatchEvent(new CustomEvent("postrider:columns", { detail: state.columns }));
  }
  if (state.version !== live.dataset.version) await refresh();
}

async function refresh() {
  const answer = await fetch(location.pathname + location.search.replace(/[?&]done=[^&]*/, ""));
  if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live], [data-live-part]"))
    takeOver(part, page.getElementById(part.id));
  document.dispatchEvent(new Event("postrider:updated"));
}

function takeOver(part, fresh) {
  // Whoever is typing or about to press a button here must not lose it.
  if (fresh === null || part.contains(document.activeElement)) return;
  const opened = [...part.querySelectorAll("details")].map((details) => details.open);
  part.replaceChildren(...fresh.childNodes);
  for (const [i, details] of [...part.querySelectorAll("details")].entries()) {
    if (opened[i] !== undefined) details.open = opened[i];
  }
  if (fresh.dataset.version !== undefined) part.dataset.version = fresh.dataset.version;
}

async function lookAndGoOn() {
  try {
    if (!document.hidden) await look();
    gapMs = LOOK_MS;
  } catch {
    gapMs = Math.min(gapMs * 2, LOOK_MAX_MS);
  }
  setTimeout(lookAndGoOn, gapMs);
}

if (live !== null) setTimeout(lookAndGoOn, gapMs);
