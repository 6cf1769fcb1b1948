/** The time from the exchanger's final reply to the webhook about the delivery, on an idle service. */
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../child.ts";
import { watchOthers } from "../proc.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { createEndpoint, startWebhookReceiver, WEBHOOK_ENV, type WebhookReceiver } from "../sides/webhook-endpoint.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { median, quantile } from "../statistics.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const MESSAGES = 200;
/** Not counted: the first connections. */
const WARM_UP = 20;
const INTERVAL_MS = 100;
const P99_MS_MAX = 1000;

async function webhooksAfter(receiver: WebhookReceiver, send: () => Promise<void>, count: number): Promise<number[]> {
  for (let i = 0; i < count; i++) {
    await send();
    await delay(INTERVAL_MS);
  }
  const afterReplyMs: number[] = [];
  const look = async (): Promise<boolean> => {
    afterReplyMs.push(...(await receiver.received()).afterReplyMs);
    return afterReplyMs.length >= count;
  };
  await until("the webhooks of all deliveries", look);
  return afterReplyMs;
}

export const webhooksIdle: Scenario = {
  figures: ["webhooks-idle"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const account = await bench.newAccount("webhooks-idle");
    const service = await startPostrider({ account, env: WEBHOOK_ENV });
    // An idle service has worked before.
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    await service.burst(sink, { messages, clients: CLIENTS });
    await sink.stop();
    const receiver = await startWebhookReceiver({ isExchanger: true });
    await createEndpoint(account);
    const submitter = await service.submitter();
    let number = 0;
    const send = (): Promise<void> => submitter.send(number++);
    await webhooksAfter(receiver, send, WARM_UP);
    const [p50, p99, othersCores]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      await bench.quiet();
      const others = watchOthers();
      const latencies = await webhooksAfter(receiver, send, MESSAGES);
      othersCores.push(others());
      p50.push(quantile(latencies, 0.5));
      p99.push(quantile(latencies, 0.99));
    }
    submitter.close();
    await service.stop();
    await receiver.stop();
    const note = `from the final SMTP reply to the webhook; others used ${median(othersCores).toFixed(1)} cores`;
    const shared = { figure: "webhooks-idle", subject: OURS, note };
    bench.report.add({ ...shared, unit: "ms p50", values: p50 });
    bench.report.add({ ...shared, unit: "ms p99", values: p99, goal: { atMost: P99_MS_MAX } });
  },
};
