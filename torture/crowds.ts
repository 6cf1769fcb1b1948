/**
 * Crowds that want no mail sent: ten thousand idle connections, bodies that trickle, huge headers, and a flood of wrong keys.
 * The service must keep them within bounds, stay alive, and serve the others meanwhile.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Caller, requestBytes } from "./crowd.ts";
import { House, type Running } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { endOfCrowd, watchMemory } from "./memory.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const IDLE = 10_000;
const TRICKLING = 400;
const WRONG_KEYS = 3000;

export const crowds: Story = { name: "crowds", tell };

interface Scene {
  house: House;
  service: Running;
  port: number;
  chance: StoryOptions["chance"];
}

async function tell({ chance, say }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance });
  try {
    const service = await house.startOrFail();
    const scene: Scene = { house, service, chance, port: Number(new URL(service.url).port) };
    const memory = watchMemory(service.pid);
    const violations = await gatherAll(scene, say);
    const end = await endOfCrowd(house, service, memory);
    violations.push(...end.violations);
    const who = `${IDLE} idle connections, ${TRICKLING} bodies that trickled, ${WRONG_KEYS} wrong keys`;
    return { figures: `${who}, ${end.rssMb} MB at most`, violations };
  } finally {
    await house.close();
  }
}

async function isAlive({ url }: Running): Promise<string[]> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(20_000) }).catch(() => null);
  return must(response?.status === 200, "/healthz was not answered");
}

/** While each crowd is there, ordinary clients must be served. */
async function gatherAll(scene: Scene, say: (line: string) => void): Promise<string[]> {
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
