/**
 * Suggests the names of accounts in the sidebar's switcher while one is typed.
 */
const DELAY_MS = 150;

const input = document.querySelector("input[data-names]");
let timer;

async function suggest() {
  const query = new URLSearchParams({ find: input.value });
  const response = await fetch(`${input.dataset.names}?${query}`, { headers: { Accept: "application/json" } });
  if (!response.ok || response.redirected) return;
  const { names } = await response.json();
  input.list.replaceChildren(
    ...names.map((name) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    }),
  );
}

if (input !== null) {
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void suggest().catch(() => {}), DELAY_MS);
  });
  input.closest("details").addEventListener("toggle", ({ target }) => {
    if (target.open) input.focus();
  });
}
