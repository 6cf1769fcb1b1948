/** Sending addresses through the whole service: what each message leaves from, with which name, and what a block of one address does. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MessageReport } from "../support/api-client.ts";
import { freeAddress, until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { type Script, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { bindVerified, sendBody, startWorld, type World } from "../support/world.ts";

const [FIRST, SECOND] = ["127.0.0.201", "127.0.0.202"];

interface Delivered {
  from: string;
  ehlo: string;
}

/** An exchanger that notes what each message came from. */
async function exchanger(t: TestContext, world: World, domain: string, script: Script = {}) {
  const host = freeAddress();
  const came: Delivered[] = [];
  const smtp = await startScriptedSmtp({
    host,
    port: Number(world.env.SMTP_PORT),
    script: {
      ...script,
      ehlo: (argument, state) => {
        came.push({ from: state.remoteAddress, ehlo: argument });
        return script.ehlo?.(argument, state);
      },
    },
  });
  t.after(() => smtp.close());
  world.zone.set(domain, "MX", [`10 mx.${domain}.`]);
  world.zone.set(`mx.${domain}`, "A", [host]);
  return { smtp, came };
}

interface AddressState {
  address: string;
  state: string;
}

async function cli(world: World, ...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runCli([...args, "--json"], world.env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function delivered(world: World, to: string, from?: string): Promise<MessageReport> {
  const response = await world.post(sendBody({ to, ...(from === undefined ? {} : { from }) }));
  const { id } = (await response.json()) as { id: string };
  for (;;) {
    const report = (await (await world.lookUp(id)).json()) as MessageReport;
    if (report.recipients.every(({ result }) => result === "delivered")) return report;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("mail leaves from the addresses of its pool, with their names", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "2s" });
  const { came } = await exchanger(t, world, "other.example");
  await delivered(world, "a@other.example");
  assert.notEqual(came[0]?.from, FIRST);

  await cli(world, "addresses", "add", FIRST, "--name", "mail1.host.example");
  await cli(world, "pools", "create", "news");
  await cli(world, "addresses", "add", SECOND, "--name", "news.host.example", "--pool", "news");
  await until("the addresses in use", async () => {
    await delivered(world, "b@other.example");
    return came.at(-1)?.from === FIRST;
  });
  assert.deepEqual(came.at(-1), { from: FIRST, ehlo: "mail1.host.example" });
  const report = await delivered(world, "c@other.example");
  assert.equal(report.recipients[0]?.smtp?.source, FIRST);

  await cli(world, "pools", "assign", "news", "--account", "default");
  await until("the pool in use", async () => {
    await delivered(world, "d@other.example");
    return came.at(-1)?.from === SECOND;
  });
  assert.deepEqual(came.at(-1), { from: SECOND, ehlo: "news.host.example" });
  const pools = (await cli(world, "pools", "list")) as { name: string; addresses: string[]; accounts: string[] }[];
  assert.deepEqual(
    pools.map(({ name, addresses, accounts: of }) => [name, addresses, of]),
    [
      ["default", [FIRST], []],
      ["news", [SECOND], ["default"]],
    ],
  );
});

test("an address that a receiver blocks is left out there alone, and its mail leaves from another one", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  for (const [ip, name] of [
    [FIRST, "mail1.host.example"],
    [SECOND, "mail2.host.example"],
  ] as const)
    await cli(world, "addresses", "add", ip, "--name", name);
  const probe = await exchanger(t, world, "probe.example");
  await until("the addresses in use", async () => {
    await delivered(world, "a@probe.example");
    return probe.came.at(-1)?.ehlo.startsWith("mail") === true;
  });
  const fair = await exchanger(t, world, "fair.example");
  await delivered(world, "a@fair.example");
  const preferred = fair.came[0]?.from;
  // Each receiver has an order of its own: this one blocks whichever it sees first.
  let blocked = "";
  const strict = await exchanger(t, world, "strict.example", {
    mail: (_, state) => {
      blocked ||= state.remoteAddress;
      return state.remoteAddress === blocked
        ? `550 5.7.1 Service unavailable; client host [${blocked}] blocked using zen.spamhaus.org`
        : undefined;
    },
  });
  const reports = await Promise.all(Array.from({ length: 8 }, (_, i) => delivered(world, `u${i}@strict.example`)));
  const sources = reports.map(({ recipients: [only] }) => only?.smtp?.source);
  const other = blocked === FIRST ? SECOND : FIRST;
  assert.deepEqual(new Set(sources), new Set([other]));
  const refusals = strict.came.filter(({ from }) => from === blocked).length;
  await delivered(world, "late@strict.example");
  assert.ok(
    strict.came.filter(({ from }) => from === blocked).length <= refusals + 1,
    "the blocked one is only probed",
  );
  await delivered(world, "b@fair.example");
  assert.equal(fair.came.at(-1)?.from, preferred, "elsewhere nothing changes");
});

test("mail of a pool whose addresses are paused waits with its reason, and leaves when one is resumed", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  const { came } = await exchanger(t, world, "other.example");
  await cli(world, "addresses", "add", FIRST, "--name", "mail1.host.example");
  assert.equal(((await cli(world, "addresses", "pause", FIRST)) as { state: string }).state, "paused");
  const ids: string[] = [];
  await until("a message that waits", async () => {
    const { id } = (await (await world.post(sendBody({ to: "a@other.example" }))).json()) as { id: string };
    ids.push(id);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { recipients } = (await (await world.lookUp(id)).json()) as MessageReport;
    return recipients[0]?.reason === "no_sending_address";
  });
  const before = came.length;
  await cli(world, "addresses", "resume", FIRST);
  await until("its delivery", async () => {
    const { recipients } = (await (await world.lookUp(ids.at(-1) ?? "")).json()) as MessageReport;
    return recipients[0]?.result === "delivered";
  });
  assert.equal(came[before]?.from, FIRST);
});

test("where a pool of a sender domain is refused, the account's other mail for the same recipient domain leaves", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  await bindVerified({ ...world, certsDir: world.env.CERTS_DIR ?? "" }, "news.example");
  await cli(world, "addresses", "add", FIRST, "--name", "mail1.host.example");
  await cli(world, "pools", "create", "news");
  await cli(world, "addresses", "add", SECOND, "--name", "news.host.example", "--pool", "news");
  await cli(world, "pools", "assign", "news", "--domain", "news.example");
  const { came } = await exchanger(t, world, "strict.example", {
    mail: (_, state) =>
      state.remoteAddress === SECOND ? `550 5.7.1 client host [${SECOND}] blocked using zen.spamhaus.org` : undefined,
  });
  await until("the addresses in use", async () => {
    await delivered(world, "a@strict.example");
    return came.at(-1)?.from === FIRST;
  });
  const send = async (i: number): Promise<string> => {
    const response = await world.post(sendBody({ from: "hello@news.example", to: `n${i}@strict.example` }));
    assert.equal(response.status, 202, await response.clone().text());
    return ((await response.json()) as { id: string }).id;
  };
  const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => send(i)));
  await until("refusals that close it", () => came.filter(({ from }) => from === SECOND).length >= 5);
  for (let i = 0; i < 5; i += 1) {
    const { recipients } = await delivered(world, `m${i}@strict.example`);
    assert.equal(recipients[0]?.smtp?.source, FIRST);
  }
  for (const id of ids) {
    const { recipients } = (await (await world.lookUp(id)).json()) as MessageReport;
    assert.deepEqual([recipients[0]?.result, recipients[0]?.reason], ["pending", "sending_address_blocked"]);
  }
  // Nodes report what they do from time to time.
  await until("the states of both addresses", async () => {
    const receivers = (await cli(world, "receivers", "list")) as { name: string; addresses: AddressState[] }[];
    const { addresses = [] } = receivers.find(({ name }) => name === "strict.example") ?? {};
    const states = addresses.map(({ address, state }) => `${address} ${state}`);
    return states.join() === `${FIRST} open,${SECOND} blocked`;
  });
});

test("an address that is warmed up gets the messages of a day, and the rest leaves from a warm one or waits", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  await exchanger(t, world, "other.example");
  await cli(world, "addresses", "add", FIRST, "--name", "new.host.example", "--warm-up");
  await cli(world, "addresses", "warm-up", FIRST, "--schedule", "4,8");
  const ids: string[] = [];
  const states = () =>
    Promise.all(ids.map(async (id) => ((await (await world.lookUp(id)).json()) as MessageReport).recipients[0]));
  await until("a message that waits for the next day", async () => {
    ids.push(((await (await world.post(sendBody({ to: "a@other.example" }))).json()) as { id: string }).id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return (await states()).some((recipient) => recipient?.reason === "warm_up");
  });
  const fromNew = async () => (await states()).filter((recipient) => recipient?.smtp?.source === FIRST).length;
  assert.equal(await fromNew(), 4);
  const waiting = (await states()).find((recipient) => recipient?.reason === "warm_up");
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  assert.deepEqual([waiting?.result, Date.parse(waiting?.next_attempt_at ?? "")], ["pending", midnight.getTime()]);
  const { receivers } = (await cli(world, "addresses", "show", FIRST)) as { receivers: Record<string, unknown>[] };
  // What was accepted is reported within a minute.
  const { accepted_today: _, ...shown } = receivers[0] ?? {};
  const today = { receiver: "other.example", day: 1, limit: 4, sent_today: 4, blocked_today: false };
  assert.deepEqual([shown, receivers.length], [today, 1]);

  await cli(world, "addresses", "add", SECOND, "--name", "warm.host.example");
  await until("the warm address in use", async () => {
    ids.push(((await (await world.post(sendBody({ to: "b@other.example" }))).json()) as { id: string }).id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return (await states()).at(-1)?.smtp?.source === SECOND;
  });
  assert.equal(await fromNew(), 4);
});
