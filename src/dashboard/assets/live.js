/**
 * Keeps a visible page up to date: polls a small endpoint for the page's version and, when it has changed, loads the page
 * again and replaces its live parts. Opened details, typed text, selections and scroll positions are preserved. A part
 * that is in use is replaced later. A list's new entries are announced in its status region, wherever the focus is.
 */
const POLL_MS = 4000;
/** The longest interval while requests fail. */
const POLL_MAX_MS = 60_000;
/** How long it is said that new entries have been added. */
const ADDED_SHOWN_MS = 12_000;
/** The state counts no more new entries than a page has. */
const NEWS_MAX = 50;

const live = document.querySelector("[data-live]");
const news = document.querySelector("[data-news]");
/** A page may ask for another interval. */
const pollMs = Number(live?.dataset.pollMs ?? POLL_MS);
let intervalMs = pollMs;
let clearing;

async function poll() {
  const response = await fetch(live.dataset.live, { headers: { Accept: "application/json" } });
  showEnded(response.status === 401);
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
  const state = await response.json();
  if (state.columns !== undefined) {
    document.dispatchEvent(new CustomEvent("postrider:columns", { detail: state.columns }));
  }
  const isShown = state.version === live.dataset.version || (await refresh());
  if (news !== null && state.news > 0) announce(state.news, isShown && state.isFirst);
}

/** Tells that the session has ended. What is typed in the page stays: a form that is sent then is kept. */
function showEnded(hasEnded) {
  const shown = document.getElementById("session-ended");
  if (!hasEnded) return shown?.remove();
  if (shown !== null) return;
  const notice = document.createElement("div");
  notice.id = "session-ended";
  notice.className = "notice warn session-ended";
  notice.setAttribute("role", "alert");
  const link = document.createElement("a");
  const query = new URLSearchParams({ done: "ended", next: location.pathname + location.search });
  link.href = `/dashboard/sign-in?${query}`;
  link.target = "_blank";
  link.textContent = "Sign in in a new tab";
  const text = document.createElement("div");
  text.append("Your session has ended. Sign in to continue. What you have typed here is not lost. ", link);
  notice.append(text);
  document.getElementById("content").prepend(notice);
}

/** Says how many new entries there are; with a link unless the list shows them. */
function announce(count, isAdded) {
  const text = `${count >= NEWS_MAX ? `${NEWS_MAX} or more` : count} ${news.dataset.news}${count === 1 ? "" : "s"}`;
  clearTimeout(clearing);
  if (isAdded) clearing = setTimeout(() => news.replaceChildren(), ADDED_SHOWN_MS);
  // Unchanged text is not announced again.
  if (news.textContent === text) return;
  if (isAdded) return news.replaceChildren(text);
  const link = document.createElement("a");
  link.className = "news-link";
  link.href = news.dataset.newsLink;
  link.textContent = text;
  news.replaceChildren(link);
}

/** Returns whether the live element shows the page's state now. */
async function refresh() {
  const response = await fetch(location.pathname + location.search.replace(/[?&]done=[^&]*/, ""));
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const parts = [...document.querySelectorAll("[data-live], [data-live-part]")];
  const replaced = new Map(parts.map((part) => [part, replace(part, page.getElementById(part.id))]));
  const fresh = page.getElementById(live.id)?.dataset ?? {};
  if (replaced.get(live)) live.dataset.live = fresh.live;
  // Otherwise the next poll tries again.
  if ([...replaced.values()].every(Boolean)) live.dataset.version = fresh.version;
  document.dispatchEvent(new Event("postrider:updated"));
  return replaced.get(live);
}

/** Replaces the content of `part` by that of `fresh`. Returns false when it must not be replaced now. */
function replace(part, fresh) {
  // It was inside a part that has been replaced.
  if (!part.isConnected) return true;
  if (fresh === null || isInUse(part)) return false;
  const positions = positionsIn(part);
  const opened = [...part.querySelectorAll("details")].map((details) => details.open);
  part.replaceChildren(...fresh.childNodes);
  for (const [i, details] of [...part.querySelectorAll("details")].entries()) {
    if (opened[i] === undefined) continue;
    details.open = opened[i];
    details.removeAttribute("data-open-without-script");
  }
  restorePositions(part, positions);
  return true;
}

/** Whether the user has the focus, a selection or typed text in the part. */
function isInUse(part) {
  const focused = document.activeElement;
  if (part.querySelector("form[data-kept]") !== null) return true;
  if (part.contains(focused) && focused.matches("a, button, input, select, textarea")) return true;
  const selection = getSelection();
  if (!selection.isCollapsed && selection.containsNode(part, true)) return true;
  return [...part.querySelectorAll("input, textarea")].some(
    (input) => input.value !== input.defaultValue || input.checked !== input.defaultChecked,
  );
}

/** Elements whose scroll position and focus survive a replacement. */
const PRESERVED = "[tabindex='0'], summary";

function positionsIn(part) {
  return [...part.querySelectorAll(PRESERVED)].map((element) => ({
    left: element.scrollLeft,
    top: element.scrollTop,
    focused: element === document.activeElement,
  }));
}

function restorePositions(part, positions) {
  for (const [i, element] of [...part.querySelectorAll(PRESERVED)].entries()) {
    if (positions[i] === undefined) continue;
    const { left, top, focused } = positions[i];
    element.scrollTo(left, top);
    if (focused) element.focus({ preventScroll: true });
  }
}

async function pollAndSchedule() {
  try {
    if (!document.hidden) await poll();
    intervalMs = pollMs;
  } catch {
    intervalMs = Math.min(intervalMs * 2, POLL_MAX_MS);
  }
  setTimeout(pollAndSchedule, intervalMs);
}

// Back from the sign-in in another tab.
document.addEventListener("visibilitychange", () => {
  if (live !== null && !document.hidden && document.getElementById("session-ended") !== null)
    void poll().catch(() => {});
});
if (live !== null) setTimeout(pollAndSchedule, intervalMs);
