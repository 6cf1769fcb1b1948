/** The cost of TLS with reused connections: the same peer with and without STARTTLS, alternating. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startTlsPeer } from "../smtp-sink.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

const SHARE_MIN = 0.85;
const PLAIN = { domain: "plain.example", host: "127.0.0.3" };
const SECURE = { domain: "secure.example", host: "127.0.0.4" };

/** Creates a key and a self-signed certificate, like those of many MX hosts. */
function newCertificate(dir: string): { key: string; cert: string } {
  const files = { key: join(dir, "key.pem"), cert: join(dir, "cert.pem") };
  const kind = ["-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", `/CN=mx.${SECURE.domain}`];
  execFileSync("openssl", ["req", ...kind, "-keyout", files.key, "-out", files.cert], { stdio: "ignore" });
  return files;
}

async function publish({ zone }: Bench, { domain, host }: typeof PLAIN): Promise<void> {
  await zone.set({ name: domain, type: "MX", values: [`10 mx.${domain}`] });
  await zone.set({ name: `mx.${domain}`, type: "A", values: [host] });
}

export const tls: Scenario = {
  figures: ["tls"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const { port } = ADDRESSES.sink;
    for (const peer of [PLAIN, SECURE]) await publish(bench, peer);
    const plain = await startTlsPeer({ host: PLAIN.host, port });
    const secure = await startTlsPeer({ host: SECURE.host, port, certificate: newCertificate(bench.newDir("tls")) });
    const service = await startPostrider({ account: await bench.newAccount("tls") });
    const load = { messages, clients: CLIENTS };
    const run = async () => {
      await bench.quiet();
      const without = await service.burst(plain, { ...load, domain: PLAIN.domain });
      const within = await service.burst(secure, { ...load, domain: SECURE.domain });
      return { rate: within.endToEndPerS / without.endToEndPerS, cpu: within.cpuMs / without.cpuMs };
    };
    await run();
    const runs: Awaited<ReturnType<typeof run>>[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await run());
    await service.stop();
    const sessions = secure.tlsSessions();
    for (const peer of [plain, secure]) await peer.stop();
    if (sessions === 0) throw new Error("no session used TLS");
    const note = `${sessions} TLS sessions for ${messages * (rounds + 1)} messages`;
    const shared = { figure: "tls", subject: `${OURS} with TLS / without`, note };
    bench.report.add({ ...shared, unit: "× the rate", values: runs.map((r) => r.rate), goal: { atLeast: SHARE_MIN } });
    bench.report.add({ ...shared, unit: "× the CPU", values: runs.map((r) => r.cpu) });
  },
};
