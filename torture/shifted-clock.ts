/**
 * The wall clock of a process, shifted by the number in a file. Timers and performance.now keep real time: a clock that is set
 * does not change them either.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Loaded before the program. */
const SHIFTED_CLOCK = `
import { readFileSync } from "node:fs";
const RealDate = Date;
const realNow = Date.now.bind(Date);
let lookedMs = Number.NEGATIVE_INFINITY;
let shiftMs = 0;
function now() {
  if (performance.now() - lookedMs > 20) {
    lookedMs = performance.now();
    shiftMs = Number(readFileSync(process.env.CLOCK_SHIFT_FILE, "utf8"));
  }
  return realNow() + shiftMs;
}
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
`;

export class ShiftedClock {
  readonly #file: string;
  readonly #module: string;

  /** Writes the module and the file to `dir`; `name` distinguishes clocks in one directory. */
  constructor(dir: string, name = "clock-shift") {
    this.#module = join(dir, "shifted-clock.mjs");
    this.#file = join(dir, name);
    writeFileSync(this.#module, SHIFTED_CLOCK);
    this.set(0);
  }

  /** For the environment of a process that has this clock. */
  get env(): Record<string, string> {
    return { NODE_OPTIONS: `--import ${pathToFileURL(this.#module)}`, CLOCK_SHIFT_FILE: this.#file };
  }

  set(shiftMs: number): void {
    writeFileSync(`${this.#file}.new`, String(Math.round(shiftMs)));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
