/**
 * Copy buttons. Each copies the text beside it, or the text at the path in `data-copy-from`, and shows "Copied" for a moment.
 */
const COPIED_MS = 1600;
const FAILED = "Not copied";

/** What a button shows when nothing was copied: a text or an icon. */
const contents = new WeakMap();

async function copy(button) {
  if (!contents.has(button)) contents.set(button, [...button.childNodes]);
  button.textContent = (await write(textOf(button))) ? "Copied" : FAILED;
  setTimeout(() => button.replaceChildren(...contents.get(button)), COPIED_MS);
}

/** The text as a promise. */
async function textOf(button) {
  const path = button.dataset.copyFrom;
  if (path === undefined) return button.closest(".copyable").querySelector("code, pre").textContent;
  const response = await fetch(path);
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
  return response.text();
}

async function write(text) {
  return (await writeToClipboard(text)) || text.then(copyBySelection, () => false);
}

async function writeToClipboard(text) {
  if (navigator.clipboard?.write === undefined || typeof ClipboardItem === "undefined") return false;
  const type = "text/plain";
  // Some browsers allow writing only during the click, so the item gets a promise of the text.
  const blob = text.then((content) => new Blob([content], { type }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
    return true;
  } catch {
    return false;
  }
}

/** For plain HTTP, where browsers do not offer navigator.clipboard. */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button.copy") : null;
  if (button !== null && !button.disabled) void copy(button);
});
