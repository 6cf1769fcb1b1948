/**
 * The wall clock is set back and forward by hours while the service runs: a host that was dead and came back is reached, mail
 * that is due is delivered, and contents go on to be forgotten behind messages that are dated in the future.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DOMAINS, House } from "./house.ts";
import { send } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const STEP_MS = 2 * 3_600_000;
/** What is promised is a minute or two; without the promise it is two hours. */
const PATIENCE_MS = 180_000;
const MAILS = 3;
/** The first domain's exchanger goes and comes back; the second's is always there. */
const [GOES = "", STAYS = ""] = DOMAINS;

/** Loaded before the service: shifts its wall clock by what a file says, and leaves timers and performance.now as they are. */
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

export const clockSteps: Story = { name: "clock-steps", tell };

async function tell({ chance }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, env: { RETENTION_BODY: "1s", RETRY_SCHEDULE: "2s" } });
  try {
    const back = await setBack(house, chance);
    const forward = await setForward(house, chance);
    const times = [back, forward].map(({ name, tookMs }) => `${name} delivered after ${Math.round(tookMs / 1000)} s`);
    const violations = [...back.violations, ...forward.violations, ...(await house.audit({ expectEnd: true }))];
    return { figures: times.join(", "), violations };
  } finally {
    await house.close();
  }
}

interface Part {
  name: string;
  tookMs: number;
  violations: string[];
}

async function setBack(house: House, chance: StoryOptions["chance"]): Promise<Part> {
  const setClock = shiftClock(house);
  setClock(STEP_MS);
  house.closeExchanger(GOES);
  const service = await house.startOrFail();
  const mail = (domain: string): Promise<unknown> =>
    send({ house, chance, url: service.url, intents: intentsTo(house, domain), width: 1 });
  // These stay dated in the future.
  await mail(STAYS);
  await mail(GOES);
  const isDead = await until(() => attempts(house) >= 2);
  setClock(0);
  await house.openExchanger(GOES);
  await mail(STAYS);
  const sinceMs = performance.now();
  const isDelivered = await until(() => waiting(house) === 0);
  const tookMs = performance.now() - sinceMs;
  const isForgotten = await until(() => contentsBefore(house, Date.now()) === 0);
  await service.kill("SIGTERM");
  return {
    name: "set back",
    tookMs,
    violations: [
      ...must(isDead, "the host was never found dead"),
      ...must(isDelivered, "mail for a host that came back still waits after the clock was set back"),
      ...must(isForgotten, "contents behind messages dated in the future are not forgotten"),
    ],
  };
}

async function setForward(house: House, chance: StoryOptions["chance"]): Promise<Part> {
  house.env.RETRY_SCHEDULE = "1h";
  house.closeExchanger(GOES);
  const service = await house.startOrFail();
  // One alone: of several, one would be the probe of a dead host, and the others would wait for their next attempt.
  await send({ house, chance, url: service.url, intents: intentsTo(house, GOES, 1), width: 1 });
  const isDeferred = await until(() => attempts(house) === 1);
  await house.openExchanger(GOES);
  shiftClock(house)(STEP_MS);
  const sinceMs = performance.now();
  const isDelivered = await until(() => waiting(house) === 0);
  const tookMs = performance.now() - sinceMs;
  await service.kill("SIGTERM");
  return {
    name: "set forward",
    tookMs,
    violations: [
      ...must(isDeferred, "no mail was deferred"),
      ...must(isDelivered, "mail that fell due when the clock was set forward still waits"),
    ],
  };
}

/** Has the service's clock follow a file; returns how to set it. */
function shiftClock(house: House): (shiftMs: number) => void {
  const [module, file] = [join(house.dir, "shifted-clock.mjs"), join(house.dir, "clock-shift")];
  writeFileSync(module, SHIFTED_CLOCK);
  house.env.NODE_OPTIONS = `--import ${pathToFileURL(module)}`;
  house.env.CLOCK_SHIFT_FILE = file;
  return (shiftMs) => {
    writeFileSync(`${file}.new`, String(shiftMs));
    renameSync(`${file}.new`, file);
  };
}

function intentsTo(house: House, domain: string, mails = MAILS) {
  return Array.from({ length: mails }, () => {
    const number = house.books.intents.length;
    const recipients = [`u${number}-0@${domain}`];
    const text = `Mail ${number}`;
    const intent = { number, key: `order-${number}`, recipients, text, expiresInS: null, isAnswered: false, tries: 0 };
    house.books.intents.push(intent);
    return intent;
  });
}

const waiting = (house: House): number | null =>
  house.count("SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')");

/** Of each that waits, at least. */
const attempts = (house: House): number =>
  house.count("SELECT coalesce(min(attempts), 0) FROM recipients WHERE state = 'pending'") ?? 0;

const contentsBefore = (house: House, beforeMs: number): number | null =>
  house.count(`SELECT count(*) FROM contents JOIN messages USING (seq) WHERE created_at_ms < ${beforeMs}`);

async function until(isSo: () => boolean): Promise<boolean> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > giveUpMs) return false;
    await delay(200);
  }
  return true;
}
