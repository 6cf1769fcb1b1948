/** Goes on with work that is done in steps: submits the form of the next one. Without scripts, its button does. */
for (const form of document.querySelectorAll("form.continue")) form.requestSubmit();
