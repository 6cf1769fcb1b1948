/**
 * Keys for lists: "/" goes to the search, "j" and "k" to the next and the previous row, Enter opens it (it is a link), "x" selects it, and
 * "?" lists the keys. The dialog turns them off, for readers whose assistive technology uses single letters.
 */
const OFF = "postrider-keys-off";
const KEYS = [
  ["/", "Search"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Enter", "Open the row"],
  ["x", "Select the row"],
  ["?", "Show these keys"],
];

function goToSearch() {
  const input = document.querySelector("search input:not([type=hidden])");
  input?.focus();
  input?.select();
  return input !== null;
}

function goToRow(step) {
  const links = [...document.querySelectorAll("main .row-link")];
  const row = document.activeElement?.closest("tr");
  const at = row === null || row === undefined ? -1 : links.findIndex((link) => row.contains(link));
  const next = at < 0 ? links[0] : links[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return links.length > 0;
}

function selectRow() {
  const box = document.activeElement?.closest("tr")?.querySelector(".select-box");
  box?.click();
  return box !== null && box !== undefined;
}

function element(name, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function showKeys() {
  const dialog = element("dialog");
  dialog.className = "keys card";
  const title = element("h2", "Keys");
  title.id = "keys-title";
  dialog.setAttribute("aria-labelledby", title.id);
  const list = element("dl");
  for (const [key, text] of KEYS) {
    const term = element("dt");
    term.append(element("kbd", key));
    list.append(term, element("dd", text));
  }
  const label = element("label", "Use these keys");
  label.className = "check-box";
  const box = element("input");
  box.type = "checkbox";
  box.checked = localStorage.getItem(OFF) === null;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  });
  label.prepend(box);
  const form = element("form");
  form.method = "dialog";
  const close = element("button", "Close");
  close.className = "small";
  form.append(label, close);
  dialog.append(title, list, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return true;
}

const ACTIONS = { "/": goToSearch, j: () => goToRow(1), k: () => goToRow(-1), x: selectRow, "?": showKeys };

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog, [contenteditable]") !== null) return;
  if (!Object.hasOwn(ACTIONS, event.key)) return;
  if (event.key !== "?" && localStorage.getItem(OFF) !== null) return;
  if (ACTIONS[event.key]()) event.preventDefault();
});
