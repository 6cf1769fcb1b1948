/**
 * The API reference: remembers the chosen language of the examples, and opens the part that a link leads into, where the browser does not.
 */
const STORED = "postrider-language";

const choices = [...document.querySelectorAll("input[name='language']")];

/** Storage may be forbidden. */
function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function store(language) {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // The choice holds for this page.
  }
}

const remembered = stored();
for (const choice of choices) {
  if (choice.value === remembered) choice.checked = true;
  choice.addEventListener("change", () => store(choice.value));
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  let isOpened = false;
  for (let part = target.closest("details"); part !== null; part = part.parentElement?.closest("details") ?? null) {
    isOpened ||= !part.open;
    part.open = true;
  }
  if (isOpened) target.scrollIntoView();
}

addEventListener("hashchange", openTarget);
// A link to the part that the address names already changes no address.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
  if (link !== null && link.hash === location.hash) openTarget();
});
openTarget();
