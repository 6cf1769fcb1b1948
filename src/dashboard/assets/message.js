/**
 * The page of a message: shows another part of the content without loading the whole page again, and after an action finds the place
 * again where the page was. Without scripts, the links and the anchor of the recipient do it.
 */
const PLACE = `postrider:place ${location.pathname}`;

/** Counts the parts asked for: the last one is shown, whichever arrives first. */
let asked = 0;

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#message-content .tabs a");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(link.href).catch(() => location.assign(link.href));
});

async function show(url) {
  asked += 1;
  const number = asked;
  const response = await fetch(url);
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("message-content");
  if (number !== asked) return;
  document.getElementById("message-content").replaceWith(fresh);
  for (const view of document.querySelectorAll("input[name=view]")) view.value = new URL(url).searchParams.get("view");
  history.replaceState(null, "", url);
  fresh.querySelector(".tabs a[aria-current]").focus({ preventScroll: true });
}

addEventListener("pagehide", () => {
  const opened = [...document.querySelectorAll(".recipient:has(details[open])")].map(({ id }) => id);
  sessionStorage.setItem(PLACE, JSON.stringify({ top: scrollY, opened }));
});

function restore() {
  const place = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
  sessionStorage.removeItem(PLACE);
  const query = new URLSearchParams(location.search);
  if (!query.has("done")) return;
  for (const id of place?.opened ?? []) document.querySelector(`#${CSS.escape(id)} details`)?.setAttribute("open", "");
  document.querySelector(`#recipient-${Number(query.get("recipient"))} summary`)?.focus({ preventScroll: true });
  if (place !== null) scrollTo({ top: place.top, behavior: "instant" });
}

addEventListener("load", restore);
