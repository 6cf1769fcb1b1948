/**
 * Messages that came back, damaged or made hostile, the same for the same seed: parts of real and written bounces and complaints that
 * are flipped, cut, spliced, nested or repeated, and runs of fragments that are slow for careless regular expressions.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Prng } from "../../simulate/prng.ts";

const FEEDBACK_DIR = new URL("../message/feedback/", import.meta.url);

/** Every bounce and complaint of the tests. */
export function feedbackSamples(): [Buffer, ...Buffer[]] {
  const bounces = readdirSync(new URL("bounces/", FEEDBACK_DIR), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".eml"))
    .sort()
    .map((name) => readFileSync(new URL(`bounces/${name}`, FEEDBACK_DIR)));
  const forms = readFileSync(new URL("forms.txt", FEEDBACK_DIR), "utf8").split(/^@@ .*\n/m);
  const [first = Buffer.alloc(0), ...others] = [...bounces, ...forms.slice(1).map((form) => Buffer.from(form))];
  return [first, ...others];
}

const FRAGMENTS = [
  "\n",
  "\n\n",
  " ",
  "\t",
  "-",
  "--",
  "a",
  "@",
  "a@",
  "a@b.example ",
  "<a@b.example>\n",
  "<",
  "<a href=",
  "&lt;",
  "(",
  '"',
  "[",
  ":",

  "--b\n",
  "--b\nContent-Type: text/plain\n\n",
  "=?utf-8?q?a?= ",
  "=?utf-8?b?",
  "550 ",
  "550 5.1.1 ",
  "to ",
  "to a@b ",
  "a: ",
  " y\n",

  "Final-Recipient: rfc822;a@b.example\n",
  "Action: failed\n",
  "Status: 5.1.1\n\n",
  "Feedback-Type: abuse\n",
  "Received: ",
  "x: y\n",

  "X-Failed-Recipients: a@b.example\n",
  "Content-Type: multipart/mixed; boundary=b\n",
  "Content-Transfer-Encoding: base64\n",
  "=\n",

  "user ",
  "exceeded ",
  "sender ",
  "original message",
  "= = ",
  "用",
  "メール",
  "：",
  "\0",
  "\xff",
  "\r",
  "{",
  "\\",
  '"type":',
] as const;

/** Of a run of fragments. Most runs are short. */
const RUN_BYTES = [10, 32 * 1024] as const;
const NESTING = [2, 400] as const;

type Mutation = (raw: Buffer, prng: Prng, samples: readonly [Buffer, ...Buffer[]]) => Buffer;

const position = (raw: Buffer, prng: Prng): number => prng.integer(0, raw.length);

const flipOctets: Mutation = (raw, prng) => {
  const changed = Buffer.from(raw);
  for (let left = prng.integer(1, 20); left > 0 && changed.length > 0; left -= 1) {
    changed[prng.integer(0, changed.length - 1)] = prng.integer(0, 255);
  }
  return changed;
};

const cut: Mutation = (raw, prng) => raw.subarray(0, position(raw, prng));

const removeRange: Mutation = (raw, prng) => {
  const start = position(raw, prng);
  return Buffer.concat([raw.subarray(0, start), raw.subarray(start + prng.integer(1, 200))]);
};

const splice: Mutation = (raw, prng, samples) => {
  const other = prng.pick(samples);
  return Buffer.concat([raw.subarray(0, position(raw, prng)), other.subarray(position(other, prng))]);
};

const repeatRange: Mutation = (raw, prng) => {
  const start = position(raw, prng);
  const range = raw.subarray(start, start + prng.integer(1, 300));
  const times = prng.integer(2, 50);
  return Buffer.concat([raw.subarray(0, start), ...Array<Buffer>(times).fill(range), raw.subarray(start)]);
};

const repeatBoundaries: Mutation = (raw, prng) => {
  const boundary = /boundary="?([^"\s;]+)/i.exec(raw.toString("latin1"))?.[1] ?? "b";
  return Buffer.concat([raw, Buffer.from(`\n--${boundary}`.repeat(prng.integer(1, 2000)), "latin1")]);
};

const insertRun: Mutation = (raw, prng) => {
  const fragment = Buffer.from(prng.pick(FRAGMENTS));
  const times = Math.ceil(prng.logUniform(RUN_BYTES) / fragment.length);
  const start = position(raw, prng);
  return Buffer.concat([raw.subarray(0, start), ...Array<Buffer>(times).fill(fragment), raw.subarray(start)]);
};

const nest: Mutation = (raw, prng) => {
  const levels = Math.round(prng.logUniform(NESTING));
  const type = prng.chance(0.5) ? "multipart/mixed" : "multipart/report; report-type=delivery-status";
  const heads = Array.from(
    { length: levels },
    (_, level) => `Content-Type: ${type}; boundary=n${level}\n\n--n${level}\n`,
  );
  return Buffer.concat([Buffer.from(heads.join("")), raw]);
};

const attach: Mutation = (raw) =>
  Buffer.concat([Buffer.from("From: a@b.example\nContent-Type: message/rfc822\n\n"), raw]);

/** All fields of the header many times. */
const repeatHeader: Mutation = (raw, prng) => {
  const end = Math.max(raw.indexOf("\n\n"), 0) + 1;
  const header = raw.subarray(0, end);
  return Buffer.concat([...Array<Buffer>(prng.integer(2, 100)).fill(header), raw.subarray(end)]);
};

const MUTATIONS = [
  flipOctets,
  cut,
  removeRange,
  splice,
  repeatRange,
  repeatBoundaries,
  insertRun,
  insertRun,
  nest,
  attach,
  repeatHeader,
] as const;

const MUTATIONS_MAX = 4;
/** What the listener accepts is limited too. */
const BYTES_MAX = 1024 * 1024;

/** Returns a message after one or several mutations. */
export function mutated(samples: readonly [Buffer, ...Buffer[]], prng: Prng): Buffer {
  let raw = prng.pick(samples);
  for (let left = prng.integer(1, MUTATIONS_MAX); left > 0; left -= 1) {
    raw = prng.pick(MUTATIONS)(raw, prng, samples).subarray(0, BYTES_MAX);
  }
  return raw;
}
