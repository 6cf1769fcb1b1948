/**
 * Draws the overview's charts in the page's colours. The numbers are in the page, and live.js sends new ones in an event.
 */
import uPlot from "./uplot.js";

const HEIGHT_PX = 200;
const root = document.getElementById("charts");
const plots = [];
let columns = JSON.parse(root.dataset.columns);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axes(values) {
  const axis = {
    stroke: css("--quiet"),
    grid: { stroke: css("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  const day = columns.stepS >= 3600 * 3;
  return [
    { ...axis, size: 30, grid: { show: false }, values: (_, times) => times.map((time) => timeText(time, day)) },
    { ...axis, size: 56, values },
  ];
}

function timeText(timeS, day) {
  const iso = new Date(timeS * 1000).toISOString();
  return day || iso.slice(11, 16) === "00:00" ? `${iso.slice(8, 10)}.${iso.slice(5, 7)}.` : iso.slice(11, 16);
}

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
  return [endedTimes(), open(third), open(second), open(delivered), closed(columns.accepted)];
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
      label: "Accepted",
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

function draw() {
  for (const plot of plots.splice(0)) plot.destroy();
  for (const container of root.querySelectorAll("[data-plot]")) {
    const name = container.dataset.plot;
    const options = {
      width: container.clientWidth,
      height: HEIGHT_PX,
      tzDate: (timeS) => uPlot.tzDate(new Date(timeS * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { range: () => [columns.times[0], columns.times.at(-1) + columns.stepS] }, y: { range: yRange } },
      series: seriesOf[name](),
      axes: axes(axisOf[name]),
    };
    plots.push(new uPlot(options, dataOf[name](), container));
  }
}

/** Starts at zero. An empty chart has an axis too. */
function yRange(_, __, max) {
  return [0, max > 0 ? max * 1.1 : 1];
}

document.addEventListener("postrider:columns", ({ detail }) => {
  columns = detail;
  draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
new ResizeObserver(draw).observe(root);
