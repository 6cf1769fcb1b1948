/**
 * Runs before the page is drawn. Marks that scripts run: controls of the class `needs-script` are visible only then, and those of
 * `without-script` only otherwise. Closes the details that are open for readers without scripts.
 */
document.documentElement.classList.add("scripted");

function closeDetails() {
  for (const details of document.querySelectorAll("details[data-open-without-script]")) {
    details.open = false;
    details.removeAttribute("data-open-without-script");
  }
}

document.addEventListener("DOMContentLoaded", closeDetails);
document.addEventListener("postrider:updated", closeDetails);
