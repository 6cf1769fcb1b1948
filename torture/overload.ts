/**
 * More than it can take: an open flood at three times the measured capacity, ten thousand idle connections, bodies that
 * trickle, huge headers, and a flood of wrong keys. It must refuse in good order, stay alive within its memory, serve the
 * others, and deliver what it accepted.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Caller, requestBytes } from "./crowd.ts";
import { House, type Running, SENDER } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

/** Until the service's code is warm. */
const WARM_UP_MS = 3000;
const CAPACITY_MS = 4000;
const FLOOD_MS = 8000;
const TIMES = 3;
const CALLERS_CAPACITY = 100;
const CALLERS_MAX = 4000;
const TICK_MS = 10;
const IDLE = 10_000;
const TRICKLING = 400;
const WRONG_KEYS = 3000;
const RSS_MAX_MB = 700;

export const overload: Story = { name: "overload", tell };

interface Scene {
  house: House;
  service: Running;
  port: number;
  chance: StoryOptions["chance"];
}

interface Flood {
  answered: number;
  accepted: number;
  refused: number;
  /** Refusals without `retry_after`, and answers of other kinds. */
  wrong: string[];
}

async function tell({ chance, say }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance });
  try {
    const service = await house.startOrFail();
    const scene: Scene = { house, service, chance, port: Number(new URL(service.url).port) };
    const memory = watchMemory(service.pid);
    await keepAsking(scene, WARM_UP_MS);
    const perSecond = (await keepAsking(scene, CAPACITY_MS)).accepted / (CAPACITY_MS / 1000);
    say(`  takes ${Math.round(perSecond)} mails a second from ${CALLERS_CAPACITY} clients`);
    const violations: string[] = [];
    const storm = await flood(
      scene,
      { callers: CALLERS_MAX, perSecond: perSecond * TIMES, forMs: FLOOD_MS },
      violations,
    );
    say(`  flood: ${storm.answered} answers, ${storm.accepted} accepted, ${storm.refused} refused with retry_after`);
    violations.push(...storm.wrong.slice(0, 3), ...must(storm.accepted > 0, "nothing was accepted in the flood"));
    violations.push(...(await crowds(scene, say)));
    const isDrained = await house.drained();
    const rssMb = memory.stop();
    await service.kill("SIGTERM");
    violations.push(
      ...must(isDrained, "what was accepted was not delivered"),
      ...must(rssMb < RSS_MAX_MB, `it took ${rssMb} MB`),
      ...(await house.audit({ expectEnd: true })),
    );
    const figures = `${Math.round(perSecond)} mails/s taken, at ${TIMES} times as many ${storm.accepted} accepted and ${storm.refused} refused, ${rssMb} MB at most`;
    return { figures, violations };
  } finally {
    await house.close();
  }
}

/** Clients that each send the next mail when the last is answered: what comes through is what it can take. */
async function keepAsking(scene: Scene, forMs: number): Promise<Flood> {
  const seen: Flood = { answered: 0, accepted: 0, refused: 0, wrong: [] };
  const endMs = performance.now() + forMs;
  const callers = await openMany(scene.port, CALLERS_CAPACITY);
  const askOn = async (caller: Caller): Promise<void> => {
    while (performance.now() < endMs && caller.isOpen) await exchange(scene, caller, seen);
    caller.close();
  };
  await Promise.all(callers.map(askOn));
  return seen;
}

interface FloodOptions {
  callers: number;
  perSecond: number;
  forMs: number;
}

/** Sends on free connections at a rate, opening more while all wait, and looks at /healthz meanwhile. */
async function flood(
  scene: Scene,
  { callers, perSecond, forMs }: FloodOptions,
  violations: string[] = [],
): Promise<Flood> {
  const { port, service } = scene;
  const seen: Flood = { answered: 0, accepted: 0, refused: 0, wrong: [] };
  const free: Caller[] = [];
  const underWay = new Set<Promise<void>>();
  let opened = 0;
  const sendOne = async (): Promise<void> => {
    const caller = free.pop() ?? (await Caller.open(port));
    if (caller === null) return;
    await exchange(scene, caller, seen);
    if (caller.isOpen) free.push(caller);
  };
  const startMs = performance.now();
  let asked = 0;
  while (performance.now() - startMs < forMs) {
    const due = Math.min(((performance.now() - startMs) / 1000) * perSecond - asked, callers - underWay.size);
    for (let i = 0; i < due; i += 1) {
      asked += 1;
      opened += 1;
      const sending: Promise<void> = sendOne().finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await delay(TICK_MS);
    if (opened > 0 && Math.floor(asked / 2000) !== Math.floor((asked - due) / 2000))
      violations.push(...(await isAlive(service)));
  }
  await Promise.all(underWay);
  for (const caller of free) caller.close();
  return seen;
}

async function exchange({ house, chance }: Scene, caller: Caller, seen: Flood): Promise<void> {
  const [intent] = newIntents(house.books, chance, 1);
  if (intent === undefined) return;
  intent.tries = 1;
  const { number, recipients: to, text, key } = intent;
  const body = JSON.stringify({ from: `Shop <hello@${SENDER}>`, to, subject: `Intent ${number}`, text });
  const headers = key === null ? [] : [`Idempotency-Key: ${key}`];
  const answer = await caller.ask(requestBytes({ path: "/api/sending/send", key: house.apiKey, body, headers }));
  if (answer === null) return;
  seen.answered += 1;
  if (answer.status === 202) {
    seen.accepted += 1;
    intent.isAnswered = true;
    house.books.answered.push({ intent: number, id: String(answer.body.id) });
  } else if ((answer.status === 503 || answer.status === 429) && Number(answer.body.retry_after) >= 1)
    seen.refused += 1;
  else seen.wrong.push(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
}

async function isAlive({ url }: Running): Promise<string[]> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(20_000) }).catch(() => null);
  return must(response?.status === 200, "/healthz was not answered");
}

/** Other crowds; while each is there, ordinary clients must be served. */
async function crowds(scene: Scene, say: (line: string) => void): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, gather] of [
    ["idle", idle],
    ["trickling", trickling],
    ["wrong keys", wrongKeys],
    ["huge headers", hugeHeaders],
  ] as const) {
    const crowd = await gather(scene);
    newIntents(scene.house.books, scene.chance, 50);
    const { house, chance, service } = scene;
    const intents = house.books.intents.slice(-50);
    const { accepted } = await send({ house, chance, url: service.url, intents, width: 10 });
    say(`  beside ${crowd.said}: ${accepted} of 50 mails accepted`);
    broken.push(
      ...must(accepted === 50, `beside a crowd (${name}) ${accepted} of 50 were accepted`),
      ...crowd.broken(),
      ...(await isAlive(service)),
    );
    crowd.leave();
  }
  const { house, chance, service } = scene;
  await send({
    house,
    chance,
    url: service.url,
    intents: unanswered(house.books).filter(({ key }) => key !== null),
    width: 20,
  });
  return broken;
}

interface Crowd {
  said: string;
  /** What was wrong about how the crowd itself was served. */
  broken: () => string[];
  leave: () => void;
}

async function openMany(port: number, count: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let at = 0; at < count; at += 500) {
    const some = await Promise.all(Array.from({ length: Math.min(500, count - at) }, () => Caller.open(port)));
    callers.push(...some.filter((caller) => caller !== null));
  }
  return callers;
}

function closeAll(callers: Caller[]): void {
  for (const caller of callers) caller.close();
}

async function idle({ port }: Scene): Promise<Crowd> {
  const callers = await openMany(port, IDLE);
  await delay(200);
  const held = callers.filter((caller) => caller.isOpen).length;
  return {
    said: `${callers.length} idle connections, of which it keeps ${held}`,
    broken: () => must(held < IDLE, "all idle connections were kept"),
    leave: () => closeAll(callers),
  };
}

/** Bodies of a megabyte, of which a few bytes come at a time. */
async function trickling({ port, house }: Scene): Promise<Crowd> {
  const callers = await openMany(port, TRICKLING);
  const head = requestBytes({ path: "/api/sending/send", key: house.apiKey, body: "x".repeat(1_000_000) }).slice(
    0,
    400,
  );
  for (const caller of callers) caller.write(head);
  const timer = setInterval(() => {
    for (const caller of callers) caller.write("x".repeat(100));
  }, 100);
  await delay(500);
  const leave = (): void => {
    clearInterval(timer);
    closeAll(callers);
  };
  return { said: `${callers.length} bodies that trickle`, broken: () => [], leave };
}

async function wrongKeys({ port }: Scene): Promise<Crowd> {
  const callers = await openMany(port, 100);
  const bytes = requestBytes({ path: "/api/sending/send", key: `svc_live_${"A".repeat(43)}`, body: "{}" });
  const codes = new Map<number, number>();
  const askOn = async (caller: Caller): Promise<void> => {
    for (let i = 0; i < WRONG_KEYS / callers.length; i += 1) {
      const status = (await caller.ask(bytes))?.status ?? 0;
      codes.set(status, (codes.get(status) ?? 0) + 1);
    }
  };
  // Goes on while the others send.
  void Promise.all(callers.map(askOn));
  const broken = (): string[] =>
    [...codes.keys()].filter((code) => code !== 401).map((code) => `a wrong key was answered ${code}`);
  return { said: `${WRONG_KEYS} requests with a wrong key`, broken, leave: () => closeAll(callers) };
}

async function hugeHeaders({ port, house }: Scene): Promise<Crowd> {
  const callers = await openMany(port, 50);
  const headers = [`X-Large: ${"x".repeat(100_000)}`];
  const answers = await Promise.all(
    callers.map((caller) => caller.ask(requestBytes({ path: "/healthz", key: house.apiKey, headers }))),
  );
  const others = answers.filter((answer) => answer !== null && answer.status !== 431);
  return {
    said: `${callers.length} requests with 100 KB of headers`,
    broken: () => must(others.length === 0, `huge headers were answered ${others[0]?.status}`),
    leave: () => closeAll(callers),
  };
}

function watchMemory(pid: number): { stop: () => number } {
  let mostKb = 0;
  const look = (): void => {
    try {
      mostKb = Math.max(mostKb, Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {
      // Not on this system, or it has ended.
    }
  };
  const timer = setInterval(look, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(mostKb / 1024);
    },
  };
}
