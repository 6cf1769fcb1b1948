/** Messages to 50 recipients at one destination: SMTP transactions per message and recipients per second. */
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const RECIPIENTS = 50;
const PER_S_MIN = 5000;

export const recipients: Scenario = {
  figures: ["recipients-50"],
  async measure(bench) {
    const { messages: singles, rounds } = bench.options;
    const messages = Math.max(CLIENTS, Math.ceil(singles / 10));
    const service = await startPostrider({ account: await bench.newAccount("recipients") });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    const load = { messages, clients: CLIENTS, recipients: RECIPIENTS };
    await service.burst(sink, load);
    const [perS, transactions]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      await bench.quiet();
      const before = sink.arrived();
      const { endToEndPerS } = await service.burst(sink, load);
      perS.push(endToEndPerS * RECIPIENTS);
      transactions.push((sink.arrived() - before) / messages);
    }
    await service.stop();
    await sink.stop();
    const shared = { figure: "recipients-50", subject: OURS };
    bench.report.add({ ...shared, unit: "recipients/s", values: perS, goal: { atLeast: PER_S_MIN } });
    bench.report.add({ ...shared, unit: "transactions a message", values: transactions, goal: { atMost: 1 } });
  },
};
