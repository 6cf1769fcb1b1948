/** Maximum load on one node with its spool in PostgreSQL, on the same cores as the server; in turns with SQLite and the peers. */

import { mainThreadMs } from "../proc.ts";
import { PEER_NAMES } from "../sides/postfix.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, type Burst, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const SQLITE_SHARE_MIN = 0.6;
const PEER_TIMES_MIN = 3;
const OTHER_PORT = 8081;
const NODE = `${OURS} on PostgreSQL`;

export const nodeThroughput: Scenario = {
  figures: ["node-end-to-end"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const peers = (await bench.peers()).filter(({ name }) => name === PEER_NAMES.rspamd);
    const sqlite = await startPostrider({ account: await bench.newAccount("sqlite") });
    const account = await bench.newDatabaseAccount("node");
    const node = await startPostrider({ account, port: OTHER_PORT, name: NODE });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    const sides = [sqlite, node, ...peers];
    const server = await bench.database();
    const bursts = new Map<string, Burst[]>(sides.map(({ name }) => [name, []]));
    const [serverMs, mainMs, walBytes]: [number[], number[], number[]] = [[], [], []];
    for (const side of sides) await side.burst(sink, { messages, clients: CLIENTS });
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        await bench.quiet();
        const [serverBefore, mainBefore, walBefore] = [server.cpuMs(), mainThreadMs(node.pid), await server.walBytes()];
        const burst = await side.burst(sink, { messages, clients: CLIENTS });
        bursts.get(side.name)?.push(burst);
        if (side === node) {
          serverMs.push((server.cpuMs() - serverBefore) / messages);
          mainMs.push((mainThreadMs(node.pid) - mainBefore) / messages);
          walBytes.push(((await server.walBytes()) - walBefore) / messages);
        }
        bench.progress(`round ${round + 1}, ${side.name}: ${Math.round(burst.endToEndPerS)}/s end to end`);
      }
    }
    await sink.stop();
    await node.stop();
    await sqlite.stop();
    const of = (name: string): number[] => (bursts.get(name) ?? []).map(({ endToEndPerS }) => endToEndPerS);
    const rates = of(NODE);
    const figure = "node-end-to-end";
    bench.report.add({ figure, subject: NODE, unit: "/s", values: rates });
    const cpu = (bursts.get(NODE) ?? []).map(({ cpuMs }) => cpuMs);
    bench.report.add({ figure, subject: NODE, unit: "ms of the node's CPU a message", values: cpu });
    bench.report.add({ figure, subject: NODE, unit: "ms of its main thread", values: mainMs });
    bench.report.add({ figure, subject: NODE, unit: "ms of the server's CPU a message", values: serverMs });
    bench.report.add({ figure, subject: NODE, unit: "bytes of WAL a message", values: walBytes });
    for (const { name } of [sqlite, ...peers]) {
      const values = of(name).map((rate, i) => (rates[i] ?? 0) / rate);
      const goal = { atLeast: name === OURS ? SQLITE_SHARE_MIN : PEER_TIMES_MIN };
      bench.report.add({ figure, subject: `${NODE} / ${name}`, unit: "×", values, goal });
    }
  },
};
