/**
 * Draws the overview's charts in the page's colours. The numbers are in the page, and live.js sends new ones in an event. Dates are
 * in the reader's language and time zone. The values of a step are shown for the pointer and for the keyboard: each chart is a
 * slider over its steps.
 */
import uPlot from "./uplot.js";

const HEIGHT_PX = 130;
const HINT = "Point at the chart or use the arrow keys to see the values of a step.";
const PAGE_STEPS = 6;
const root = document.getElementById("charts");
const containers = [...root.querySelectorAll("[data-plot]")];
const plots = new Map();
let columns = JSON.parse(root.dataset.columns);
/** The beginning of the step whose numbers are shown, in seconds; null for none. */
let shownS = null;

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const dayFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const hourFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const stepFormat = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const numberFormat = new Intl.NumberFormat();

function axes(values) {
  const axis = {
    stroke: css("--quiet"),
    grid: { stroke: css("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  const isDaily = columns.stepS >= 3600 * 3;
  return [
    {
      ...axis,
      size: 30,
      space: 64,
      grid: { show: false },
      values: (_, times) => times.map((time) => timeText(time, isDaily)),
    },
    { ...axis, size: 56, values },
  ];
}

function timeText(timeS, isDaily) {
  const date = new Date(timeS * 1000);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return (isDaily || isMidnight ? dayFormat : hourFormat).format(date);
}

const stepText = (timeS) => stepFormat.formatRange(new Date(timeS * 1000), new Date((timeS + columns.stepS) * 1000));

const countText = (count) => (count >= 1e6 ? `${count / 1e6}M` : count >= 1e4 ? `${count / 1e3}k` : String(count));

function spanText(seconds) {
  if (seconds === 0) return "0";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${+seconds.toFixed(1)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${+(seconds / 3600).toFixed(1)} h`;
}

function bar(label, color) {
  return {
    label,
    fill: css(color),
    stroke: css(color),
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars({ size: [0.8, 24], align: 1 }),
  };
}

/** Has points, because a step between two empty steps has no line. */
function timesLine(label, color) {
  const stroke = css(color);
  return { label, stroke, width: 2, points: { show: true, size: 6, fill: stroke }, spanGaps: false };
}

/** Repeats the last value, so that the line is drawn to the end of its step. */
const closed = (counts) => [...counts, counts.at(-1)];
const open = (counts) => [...counts, null];

/** Stacks the bars: each is drawn from zero to its top, the highest first. */
function stacked() {
  const { delivered, failed, unknown } = columns;
  const second = delivered.map((count, i) => count + failed[i]);
  const third = second.map((count, i) => count + unknown[i]);
  return [endedTimes(), open(third), open(second), open(delivered), closed(columns.recipients)];
}

const endedTimes = () => [...columns.times, columns.times.at(-1) + columns.stepS];

const dataOf = {
  results: stacked,
  times: () => [columns.times, columns.p95, columns.p50],
};

const seriesOf = {
  results: () => [
    {},
    bar("Unknown", "--warn-strong"),
    bar("Failed", "--bad-strong"),
    bar("Delivered", "--good-strong"),
    {
      label: "Recipients",
      stroke: css("--text"),
      width: 1.5,
      points: { show: false },
      paths: uPlot.paths.stepped({ align: 1 }),
    },
  ],
  times: () => [{}, timesLine("95 %", "--accent-soft"), timesLine("Median", "--accent")],
};

const axisOf = {
  results: (_, counts) => counts.map((count) => (Number.isInteger(count) ? countText(count) : "")),
  times: (_, times) => times.map(spanText),
};

const isEmpty = {
  results: () => ["delivered", "failed", "unknown", "recipients"].every((name) => columns[name].every((n) => n === 0)),
  times: () => columns.p50.every((seconds) => seconds === null),
};

const plural = (count, one) => `${numberFormat.format(count)} ${one}${count === 1 ? "" : "s"}`;

/** The numbers of a step as text. */
const valuesOf = {
  results(i) {
    const results = ["delivered", "failed", "unknown"].map(
      (name) => `${numberFormat.format(columns[name][i])} ${name}`,
    );
    const accepted = `accepted ${plural(columns.accepted[i], "message")} for ${plural(columns.recipients[i], "recipient")}`;
    return [...results, accepted].join(", ");
  },
  times(i) {
    if (columns.p50[i] === null) return "nothing delivered";
    return `median ${spanText(columns.p50[i])}, 95 % within ${spanText(columns.p95[i])}`;
  },
};

function draw() {
  for (const plot of plots.values()) plot.destroy();
  plots.clear();
  for (const container of containers) {
    const name = container.dataset.plot;
    const section = container.closest("section");
    section.classList.toggle("is-empty", isEmpty[name]());
    section.querySelector(".chart-empty").hidden = !isEmpty[name]();
    if (!isEmpty[name]()) plots.set(container, plotIn(container, name));
  }
  show();
}

function plotIn(container, name) {
  const options = {
    width: container.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: () => [columns.times[0], columns.times.at(-1) + columns.stepS] }, y: { range: yRange } },
    series: seriesOf[name](),
    axes: axes(axisOf[name]),
  };
  return new uPlot(options, dataOf[name](), container);
}

/** Starts at zero. An empty chart has an axis too. */
function yRange(_, __, max) {
  return [0, max > 0 ? max * 1.1 : 1];
}

/** Shows the numbers of the chosen step in each chart, and marks it. */
function show() {
  const i = columns.times.indexOf(shownS);
  for (const container of containers) {
    const name = container.dataset.plot;
    const text = i === -1 ? HINT : `${stepText(columns.times[i])}: ${valuesOf[name](i)}`;
    const readout = root.querySelector(`[data-readout=${name}]`);
    if (readout.textContent !== text) readout.textContent = text;
    readout.classList.toggle("quiet", i === -1);
    container.setAttribute("aria-valuemax", columns.times.length - 1);
    container.setAttribute("aria-valuenow", i === -1 ? columns.times.length - 1 : i);
    container.setAttribute("aria-valuetext", i === -1 ? "No step chosen" : text);
    mark(plots.get(container), i);
  }
}

function mark(plot, i) {
  if (plot === undefined) return;
  plot.over.querySelector(".step-mark")?.remove();
  if (i === -1) return;
  const [left, right] = [columns.times[i], columns.times[i] + columns.stepS].map((time) => plot.valToPos(time, "x"));
  const step = document.createElement("div");
  step.className = "step-mark";
  step.style.left = `${left}px`;
  step.style.width = `${right - left}px`;
  plot.over.append(step);
}

function choose(timeS) {
  shownS = timeS;
  show();
}

/** The steps that a key moves by, from the chosen one; null for another key. */
const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -PAGE_STEPS, PageUp: PAGE_STEPS };

function onKey(event) {
  const last = columns.times.length - 1;
  const at = columns.times.indexOf(shownS);
  const moved = MOVES[event.key];
  if (event.key === "Escape") choose(null);
  else if (event.key === "Home") choose(columns.times[0]);
  else if (event.key === "End") choose(columns.times[last]);
  // The newest step is the first one to be shown.
  else if (moved !== undefined) choose(columns.times[at === -1 ? last : Math.min(last, Math.max(0, at + moved))]);
  else return;
  event.preventDefault();
}

function onPointer(event) {
  const plot = plots.get(event.currentTarget);
  if (plot === undefined) return;
  const timeS = plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x");
  const i = Math.floor((timeS - columns.times[0]) / columns.stepS);
  choose(columns.times[Math.min(columns.times.length - 1, Math.max(0, i))]);
}

/** A finger leaves the chart as soon as it is lifted: what it has touched stays shown. */
function onLeave(event) {
  if (event.pointerType !== "touch") choose(null);
}

for (const container of containers) {
  const attributes = {
    role: "slider",
    tabindex: "0",
    "aria-valuemin": "0",
    "aria-roledescription": "chart",
    "aria-labelledby": `chart-${container.dataset.plot}`,
  };
  for (const [name, value] of Object.entries(attributes)) container.setAttribute(name, value);
  container.addEventListener("keydown", onKey);
  container.addEventListener("pointermove", onPointer);
  container.addEventListener("pointerdown", onPointer);
  container.addEventListener("pointerleave", onLeave);
  container.addEventListener("blur", () => choose(null));
}

for (const element of root.querySelectorAll("[data-zone]")) {
  element.textContent = `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

document.addEventListener("postrider:columns", ({ detail }) => {
  columns = detail;
  draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
new ResizeObserver(draw).observe(root);
