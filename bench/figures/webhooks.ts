/** What one webhook endpoint for all events costs the rate of messages, and how far it lags behind under maximum load. */
import { until } from "../child.ts";
import { watchOthers } from "../proc.ts";
import { type Postrider, startPostrider } from "../sides/postrider.ts";
import type { Account } from "../sides/postrider-account.ts";
import { ADDRESSES, type Burst, OURS } from "../sides/side.ts";
import { createEndpoint, removeEndpoint, startWebhookReceiver, WEBHOOK_ENV } from "../sides/webhook-endpoint.ts";
import { type SmtpSink, startSmtpSink } from "../smtp-sink.ts";
import { median } from "../statistics.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

/** message.accepted and recipient.delivered. */
const EVENTS_PER_MESSAGE = 2;
const LAG_LIMIT_MS = 600_000;

interface WithEndpoint {
  burst: Burst;
  /** From the last stored result until the endpoint had all events. */
  lagS: number;
  eventsPerS: number;
}

interface Parts {
  account: Account;
  service: Postrider;
  sink: SmtpSink;
}

async function burstWithEndpoint({ account, service, sink }: Parts, messages: number): Promise<WithEndpoint> {
  const receiver = await startWebhookReceiver();
  const id = await createEndpoint(account);
  const startMs = Date.now();
  const burst = await service.burst(sink, { messages, clients: CLIENTS });
  const settledMs = Date.now();
  let [count, lastMs] = [0, 0];
  const look = async (): Promise<boolean> => {
    const received = await receiver.received();
    count += received.count;
    lastMs = Math.max(lastMs, received.lastMs);
    return count >= messages * EVENTS_PER_MESSAGE;
  };
  await until("all webhooks", look, { limitMs: LAG_LIMIT_MS });
  await removeEndpoint(account, id);
  await receiver.stop();
  return { burst, lagS: Math.max(0, lastMs - settledMs) / 1000, eventsPerS: (count * 1000) / (lastMs - startMs) };
}

function reportAll({ report }: Bench, without: Burst[], withOne: WithEndpoint[], othersCores: number[]): void {
  const note = `others used ${median(othersCores).toFixed(1)} cores`;
  const add = (unit: string, values: number[]): void =>
    report.add({ figure: "webhooks", subject: OURS, unit, values, note });
  const ratio = (of: (burst: Burst) => number): number[] =>
    withOne.map(({ burst }, i) => of(burst) / of(without[i] ?? burst));
  add(
    "/s end to end without an endpoint",
    without.map((burst) => burst.endToEndPerS),
  );
  add(
    "/s end to end with one",
    withOne.map(({ burst }) => burst.endToEndPerS),
  );
  add(
    "× end to end with / without",
    ratio((burst) => burst.endToEndPerS),
  );
  add(
    "× accepted with / without",
    ratio((burst) => burst.acceptedPerS),
  );
  add(
    "× CPU a message with / without",
    ratio((burst) => burst.cpuMs),
  );
  add(
    "s behind at the end",
    withOne.map(({ lagS }) => lagS),
  );
  add(
    "events /s",
    withOne.map(({ eventsPerS }) => eventsPerS),
  );
}

export const webhooks: Scenario = {
  figures: ["webhooks"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const account = await bench.newAccount("webhooks");
    const service = await startPostrider({ account, env: WEBHOOK_ENV });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    const parts = { account, service, sink };
    await burstWithEndpoint(parts, messages);
    const [without, withOne, othersCores]: [Burst[], WithEndpoint[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      await bench.quiet();
      const others = watchOthers();
      without.push(await service.burst(sink, { messages, clients: CLIENTS }));
      withOne.push(await burstWithEndpoint(parts, messages));
      othersCores.push(others());
    }
    await service.stop();
    await sink.stop();
    reportAll(bench, without, withOne, othersCores);
  },
};
