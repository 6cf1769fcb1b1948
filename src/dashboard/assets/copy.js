/**
 * Copy buttons. They are hidden without scripts, and show "Copied" for a moment after a click.
 */
const COPIED_MS = 1600;

function showButtons(root) {
  for (const button of root.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    copyBySelection(button.dataset.copy);
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, COPIED_MS);
}

/** For plain HTTP, where browsers do not offer navigator.clipboard. */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button !== null) void copy(button);
});
document.addEventListener("postrider:updated", () => showButtons(document));
showButtons(document);
