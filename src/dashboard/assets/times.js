/**
 * Times: relative ones go on, exact ones are shown in the reader's time zone with UTC as the tooltip, and fields for a time take it
 * in that time zone. Without scripts everything is in UTC.
 */
import { isLocal, localField, localText, relativeText, utcField, utcText } from "./time-text.js";

const TICK_MS = 1000;

/** The server's clock, as of the part of the page that came last, minus this one's. */
let offsetMs = 0;
const known = new WeakSet();

/** Adapts the times that the page has got since the last call. */
function localize() {
  for (const time of document.querySelectorAll("time[data-now]")) {
    if (known.has(time)) continue;
    known.add(time);
    offsetMs = Number(time.dataset.now) - Date.now();
    const atMs = Date.parse(time.dateTime);
    time.title = isLocal(atMs) ? `${localText(atMs)} · ${utcText(atMs)}` : utcText(atMs);
  }
  for (const time of document.querySelectorAll("time[data-local]")) {
    const atMs = Date.parse(time.dateTime);
    if (!isLocal(atMs)) continue;
    time.textContent = localText(atMs);
    time.title = utcText(atMs);
  }
}

function tick() {
  if (document.hidden) return;
  const nowMs = Date.now() + offsetMs;
  for (const time of document.querySelectorAll("time[data-now]")) {
    const text = relativeText(Date.parse(time.dateTime), nowMs);
    // The text node remains, and with it a selection that begins or ends in it.
    if (time.textContent !== text) time.firstChild.data = text;
  }
}

/** The form is sent with UTC. */
function localizeFields() {
  for (const input of document.querySelectorAll("input[type=datetime-local]")) {
    const label = input.labels[0];
    if (!isLocal(Date.now()) || !label?.textContent.includes("(UTC)")) continue;
    label.textContent = label.textContent.replace("(UTC)", "(your time)");
    input.defaultValue = localField(input.defaultValue);
    input.form?.addEventListener("formdata", ({ formData }) => {
      if (formData.has(input.name)) formData.set(input.name, utcField(input.value));
    });
  }
}

localize();
localizeFields();
tick();
setInterval(tick, TICK_MS);
document.addEventListener("visibilitychange", tick);
document.addEventListener("postrider:updated", localize);
