/** A peer: Debian's Postfix in its own directories, alone or with a signing milter. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startProgram, until } from "../child.ts";
import { built, type Content } from "../load/content.ts";
import { sendBySmtp, smtpSubmitter } from "../load/smtp.ts";
import { memoryDir } from "../namespace.ts";
import { connects } from "../ports.ts";
import { cpuMs } from "../proc.ts";
import {
  type MilterKey,
  mainCf,
  masterCf,
  milterSocket,
  opendkimConf,
  type PostfixPlaces,
  rspamdConf,
  type Signing,
} from "./postfix-config.ts";
import { ADDRESSES, type Side } from "./side.ts";
import type { Zone } from "./zone.ts";

const FIRST_PORT = 2501;
const SIGNINGS: readonly Signing[] = ["rspamd", "opendkim", "none"];
const DEBIAN_MASTER_CF = "/usr/share/postfix/master.cf.dist";

export const PEER_NAMES: Readonly<Record<Signing, string>> = {
  rspamd: "Postfix with rspamd",
  opendkim: "Postfix with OpenDKIM",
  none: "Postfix without signing",
};

/** Where a peer listens. */
export const peerPort = (signing: Signing): number => FIRST_PORT + SIGNINGS.indexOf(signing);

/** Starts all three; each is idle while another is measured. `dir` must be world-readable. */
export async function startPostfixes(dir: string, zone: Zone): Promise<Side[]> {
  const sides: Side[] = [];
  for (const signing of SIGNINGS) {
    const places = { dir: join(dir, signing), logDir: memoryDir(signing), port: peerPort(signing) };
    makeReadable(places.dir);
    sides.push(await startPostfix(places, signing, zone));
  }
  return sides;
}

async function startPostfix(places: PostfixPlaces, signing: Signing, zone: Zone): Promise<Side> {
  const { dir, port } = places;
  const milter = await startMilter(places, signing, zone);
  const etc = configure(places, signing);
  execFileSync("postfix", ["-c", etc, "start"], { stdio: "ignore" });
  const target = { host: "127.0.0.1", port };
  await until(PEER_NAMES[signing], () => connects(target.host, port));
  const masterPid = Number(readFileSync(join(dir, "spool/pid/master.pid"), "utf8"));
  const cpuNowMs = (): number => cpuMs(masterPid, ...(milter === null ? [] : [milter.pid]));
  const name = PEER_NAMES[signing];

  return {
    name,
    async burst(sink, { messages, clients, content }) {
      const file = content === undefined ? {} : { file: fileOf(dir, content) };
      const arrivedBefore = sink.arrived();
      const cpuBefore = cpuNowMs();
      const sent = await sendBySmtp({ ...target, messages, clients, ...file });
      const arrivedMs = await sink.reached(arrivedBefore + messages);
      if (arrivedMs === null) throw new Error(`${name}: ${sink.arrived() - arrivedBefore} of ${messages} arrived`);
      await until("an empty queue", () => isEmpty(join(dir, "spool")));
      return {
        acceptedPerS: (messages * 1000) / (sent.endMs - sent.startMs),
        endToEndPerS: (messages * 1000) / (arrivedMs - sent.startMs),
        cpuMs: (cpuNowMs() - cpuBefore) / messages,
        repeated: 0,
        p50Ms: null,
        p99Ms: null,
      };
    },
    submitter: () => smtpSubmitter(target),
    async stop() {
      execFileSync("postfix", ["-c", etc, "stop"], { stdio: "ignore" });
      await milter?.stop();
    },
  };
}

function makeReadable(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

const own = (user: string, ...paths: string[]): void => void execFileSync("chown", ["-R", user, ...paths]);

function configure(places: PostfixPlaces, signing: Signing): string {
  const { dir, logDir } = places;
  const etc = join(dir, "etc");
  for (const path of [etc, join(dir, "spool"), join(dir, "data")]) makeReadable(path);
  own("postfix", join(dir, "data"));
  writeFileSync(join(etc, "main.cf"), mainCf(places, signing));
  writeFileSync(join(etc, "master.cf"), masterCf(readFileSync(DEBIAN_MASTER_CF, "utf8"), places));
  writeFileSync(join(logDir, "maillog"), "");
  return etc;
}

/** Starts the signer and publishes its key; null for the side without signing. */
async function startMilter(places: PostfixPlaces, signing: Signing, zone: Zone): Promise<Child | null> {
  if (signing === "none") return null;
  const { dir } = places;
  const user = signing === "rspamd" ? "_rspamd" : "opendkim";
  for (const path of [join(dir, "milter"), join(dir, "rspamd")]) makeReadable(path);
  const key = await publishKey(places, signing, zone);
  own(user, key.file, join(dir, "milter"), join(dir, "rspamd"));
  const conf = join(dir, `${signing}.conf`);
  writeFileSync(conf, signing === "rspamd" ? rspamdConf(places, key) : opendkimConf(places, key));
  const args = signing === "rspamd" ? ["-f", "-u", user, "-g", user, "-c", conf] : ["-f", "-x", conf];
  const child = await startProgram(signing, args, { stdio: ["ignore", "ignore", "inherit"] });
  await until(signing, () => existsSync(milterSocket(places)));
  return child;
}

async function publishKey({ dir }: PostfixPlaces, selector: string, zone: Zone): Promise<MilterKey> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = join(dir, "dkim.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const value = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
  await zone.set({ name: `${selector}._domainkey.${ADDRESSES.senderDomain}`, type: "TXT", values: [value] });
  return { selector, file };
}

/** Writes the message that the service would build, for smtp-source. */
function fileOf(dir: string, content: Content): string {
  const file = join(dir, "message");
  writeFileSync(file, built(content).toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return file;
}

function isEmpty(spool: string): boolean {
  const queues = ["maildrop", "incoming", "active", "deferred"].map((name) => join(spool, name));
  return queues.every((queue) =>
    readdirSync(queue, { recursive: true, withFileTypes: true }).every((entry) => !entry.isFile()),
  );
}
