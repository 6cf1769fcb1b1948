/**
 * More than it can take: what it takes is measured, then mails come at three times that on a schedule, from thousands of
 * connections of many accounts, whatever becomes of those before. It must refuse in good order, stay alive within its memory,
 * take every mail of an account that is not of the crowd, and deliver what it accepted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { House, type Running } from "./house.ts";
import { newIntents, send } from "./load.ts";
import { endOfCrowd, watchMemory } from "./memory.ts";
import { numberedIntent } from "./numbered-mail.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";
import type { Crowd, Seen } from "./websites.ts";

const PROGRAM = fileURLToPath(new URL("websites.ts", import.meta.url));
/** The first is not of the crowd. */
const ACCOUNTS = 9;
/** Until the service's code is warm. */
const WARM_UP_MS = 4000;
const CAPACITY_MS = 5000;
const CAPACITY_CONNECTIONS = 100;
const TIMES = 3;
/** A round's share of the flood, which goes on without a break. */
const ROUND_MS = 8000;
const ROUNDS_MAX = 3;
const CONNECTIONS = 3000;
const PROBE_EVERY_MS = 500;
const PROBE_LIMIT_MS = 20_000;
/** Once the flood is over. */
const MAILS_AFTER = 50;
/** The least part of what it takes that it must still accept. docs/PROOF.md has the usual figures; machines have other work. */
const ACCEPTED_MIN = 0.05;
/** Floods, each from what the last has shown, until one is more than it can take. */
const FLOODS_MAX = 3;

export const overload: Story = { name: "overload", tell };

interface Scene {
  house: House;
  service: Running;
  chance: StoryOptions["chance"];
}

async function tell({ chance, rounds, say }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, accounts: ACCOUNTS });
  try {
    const service = await house.startOrFail();
    const scene: Scene = { house, service, chance };
    const memory = watchMemory(service.pid);
    const forMs = ROUND_MS * Math.min(rounds, ROUNDS_MAX);
    const { perSecond, seen, violations } = await overwhelm(scene, forMs, say);
    violations.push(...whatIsWrong(seen, (perSecond * forMs) / 1000), ...(await after(scene)));
    const end = await endOfCrowd(house, service, memory);
    violations.push(...end.violations);
    return { figures: `takes ${perSecond} mails a second; ${told(seen, forMs)}; ${end.rssMb} MB at most`, violations };
  } finally {
    await house.close();
  }
}

/** A flood of three times what it takes. All of one is accepted only where others have left the machine since the measurement. */
async function overwhelm(scene: Scene, forMs: number, say: (line: string) => void) {
  const violations: string[] = [];
  let perSecond = await capacity(scene);
  for (let floods = 1; ; floods += 1) {
    say(`  takes ${perSecond} mails a second`);
    const seen = await flood(scene, { perSecond: perSecond * TIMES, forMs }, violations);
    if (refusalsOf(seen) > 0 || floods === FLOODS_MAX) return { perSecond, seen, violations };
    perSecond = Math.max(perSecond, Math.round((seen.accepted.length * 1000) / forMs));
  }
}

const refusalsOf = ({ refused }: Seen): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Mails a second that it takes from clients that each wait for their answer. */
async function capacity(scene: Scene): Promise<number> {
  const closed = { connections: CAPACITY_CONNECTIONS, perSecond: null };
  await come(scene, { ...closed, forMs: WARM_UP_MS });
  const { accepted } = await come(scene, { ...closed, forMs: CAPACITY_MS });
  return Math.round((accepted.length * 1000) / CAPACITY_MS);
}

/** The flood; beside it, a look at the front and a mail of the account that is not of the crowd, again and again. */
async function flood(
  scene: Scene,
  { perSecond, forMs }: { perSecond: number; forMs: number },
  violations: string[],
): Promise<Seen> {
  const { house, service, chance } = scene;
  // Numbered before the flood's, whose count is known only at its end.
  const quiet = newIntents(house.books, chance, Math.floor(forMs / PROBE_EVERY_MS));
  let looking = Promise.resolve();
  const probes = setInterval(() => {
    const intents = quiet.splice(0, 1);
    looking = looking.then(async () => {
      const { accepted } = await send({ house, chance, url: service.url, intents, width: 1 });
      violations.push(...must(accepted === intents.length, "a mail beside the crowd was not taken"));
      for (const path of ["/healthz", "/dashboard/sign-in"]) violations.push(...(await isAnswered(service, path)));
    });
  }, PROBE_EVERY_MS);
  const seen = await come(scene, { connections: CONNECTIONS, perSecond, forMs });
  clearInterval(probes);
  await looking;
  return seen;
}

async function isAnswered({ url }: Running, path: string): Promise<string[]> {
  const asked = fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
  const response = await asked.catch(() => null);
  await response?.arrayBuffer();
  return must(response !== null && response.status < 400, `${path} was not answered`);
}

function whatIsWrong(seen: Seen, couldTake: number): string[] {
  const { accepted, wrong, broken } = seen;
  return [
    ...wrong.slice(0, 3),
    ...must(broken === 0, `${broken} mails were not answered`),
    ...must(refusalsOf(seen) > 0, "nothing was refused"),
    ...must(accepted.length > ACCEPTED_MIN * couldTake, `only ${accepted.length} mails were accepted`),
  ];
}

/** When the flood is over, everything is accepted again. */
async function after({ house, service, chance }: Scene): Promise<string[]> {
  const intents = newIntents(house.books, chance, MAILS_AFTER);
  const { accepted } = await send({ house, chance, url: service.url, intents, width: 10 });
  return must(accepted === MAILS_AFTER, `after the flood ${accepted} of ${MAILS_AFTER} mails were accepted`);
}

function told({ due, notOffered, accepted, refused, cameBack, acceptedMs, refusedMs }: Seen, forMs: number): string {
  const aSecond = (count: number): number => Math.round((count * 1000) / forMs);
  const refusals = Object.entries(refused).map(([name, count]) => `${count} times ${name}`);
  return [
    `${aSecond(due - notOffered)} a second offered for ${forMs / 1000} s: ${aSecond(accepted.length)} a second accepted`,
    `(p50 ${acceptedMs.p50} ms, p99 ${acceptedMs.p99} ms), ${refusals.join(" and ")}`,
    `(p50 ${refusedMs.p50} ms, p99 ${refusedMs.p99} ms), of which ${cameBack} came back`,
  ].join(" ");
}

/** A crowd comes and goes; what it sent and was answered is in the books afterwards. */
async function come({ house, service }: Scene, how: Omit<Crowd, "port" | "senders" | "first">): Promise<Seen> {
  const { books, senders } = house;
  const port = Number(new URL(service.url).port);
  const crowd: Crowd = { ...how, port, senders: senders.slice(1), first: books.intents.length };
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, JSON.stringify(crowd)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await once(child, "close");
  const seen = JSON.parse(said) as Seen;
  for (let number = crowd.first; number < seen.end; number += 1)
    books.intents.push({ ...numberedIntent(number), tries: 1 });
  for (const { mail, id } of seen.accepted) {
    const intent = books.intents[mail];
    if (intent !== undefined) intent.isAnswered = true;
    books.answered.push({ intent: mail, id });
  }
  return seen;
}
