/**
 * Keeps a page up to date while somebody sees it: asks a small endpoint for a version every few seconds, and only when
 * it has changed loads the page again and takes its live parts over. What the reader has opened, typed, selected or
 * scrolled stays; a part whose button or field has the focus is taken over later.
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
  const parts = [...document.querySelectorAll("[data-live], [data-live-part]")];
  const taken = parts.map((part) => takeOver(part, page.getElementById(part.id)));
  // Otherwise the next look tries again.
  if (taken.every(Boolean)) live.dataset.version = page.getElementById(live.id).dataset.version;
  document.dispatchEvent(new Event("postrider:updated"));
}

/** Returns whether `part` shows what `fresh` does. */
function takeOver(part, fresh) {
  if (fresh === null || isInUse(part)) return false;
  const scrolled = scrolledIn(part);
  const opened = [...part.querySelectorAll("details")].map((details) => details.open);
  part.replaceChildren(...fresh.childNodes);
  for (const [i, details] of [...part.querySelectorAll("details")].entries()) {
    if (opened[i] !== undefined) details.open = opened[i];
  }
  scrollAgain(part, scrolled);
  return true;
}

/** Whoever is typing, about to press a button or marking text here must not lose it. */
function isInUse(part) {
  const focused = document.activeElement;
  if (part.contains(focused) && focused.matches("a, button, input, select, textarea")) return true;
  const selection = getSelection();
  if (!selection.isCollapsed && selection.containsNode(part, true)) return true;
  return [...part.querySelectorAll("input, textarea")].some((input) => input.value !== input.defaultValue);
}

const KEPT = "[tabindex='0'], summary";

/** Where tables are scrolled to, and which of them, or of what opens, the keyboard acts on. */
function scrolledIn(part) {
  return [...part.querySelectorAll(KEPT)].map((element) => ({
    left: element.scrollLeft,
    top: element.scrollTop,
    focused: element === document.activeElement,
  }));
}

function scrollAgain(part, scrolled) {
  for (const [i, element] of [...part.querySelectorAll(KEPT)].entries()) {
    if (scrolled[i] === undefined) continue;
    const { left, top, focused } = scrolled[i];
    element.scrollTo(left, top);
    if (focused) element.focus({ preventScroll: true });
  }
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
