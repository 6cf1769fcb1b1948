/**
 * Twelve receivers side by side that behave like large ones: limits of connections, of messages a connection and of messages a minute, blocks
 * at the greeting and at MAIL, rate limits at RCPT and at the dot, greylisting, a tarpit. Each sees no more than it allows, nobody fails
 * for this server's address, and mail for all others is delivered beside them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { MessageReport } from "../support/api-client.ts";
import { freeAddress, until } from "../support/peers.ts";
import { type PeerState, type Script, type ScriptedSmtp, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const MESSAGES = 30;

/** What a receiver allows, and how it refuses what is more. */
interface Behaviour {
  domain: string;
  exchanger: string;
  connections?: number;
  perConnection?: number;
  /** Beside the limits. */
  script?: Script;
  /** Whether its mail waits: it refuses this server's address. */
  isBlocking?: true;
}

/** The reply to the first messages, and how many. */
function first(count: number, reply: string): () => string | undefined {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? reply : undefined;
  };
}

function greylisted(reply: string): (argument: string) => string | undefined {
  const seen = new Set<string>();
  return (argument) => {
    if (seen.has(argument)) return undefined;
    seen.add(argument);
    return reply;
  };
}

const slow = (then: string) => () => ({ delayMs: 1000, then });

const RECEIVERS: readonly Behaviour[] = [
  { domain: "gmail.com", exchanger: "aspmx.l.google.com", connections: 5, perConnection: 50 },
  {
    domain: "outlook.com",
    exchanger: "outlook-com.olc.protection.outlook.com",
    connections: 5,
    script: {
      rcpt: first(
        2,
        "451 4.7.650 The mail server [192.0.2.10] has been temporarily rate limited due to IP reputation. (S775)",
      ),
    },
  },
  {
    domain: "tenant.example",
    exchanger: "tenant.mail.protection.outlook.com",
    connections: 5,
    script: { mail: first(1, "451 4.7.500 Server busy. Please try again later from [192.0.2.10]. (S77714)") },
  },
  { domain: "yahoo.com", exchanger: "mta5.am0.yahoodns.net", perConnection: 20 },
  { domain: "yahoo.co.jp", exchanger: "mx1.mail.yahoo.co.jp", connections: 2, perConnection: 20 },
  { domain: "icloud.com", exchanger: "mx01.mail.icloud.com", connections: 10, perConnection: 5 },
  {
    domain: "gmx.net",
    exchanger: "mx00.emig.gmx.net",
    isBlocking: true,
    script: {
      greeting: () => ({
        drop: true,
        raw: "554-gmx.net (mxgmx1) Nemesis ESMTP Service not available\r\n554-No SMTP service\r\n554 IP address is block listed. https://postmaster.gmx.net/case?c=hi&i=ip&v=192.0.2.10&r=1\r\n",
      }),
    },
  },
  { domain: "orange.fr", exchanger: "smtp-in.orange.fr", connections: 2, perConnection: 100 },
  {
    domain: "comcast.net",
    exchanger: "mx1.comcast.net",
    isBlocking: true,
    script: { mail: () => "554 5.7.1 BL000001 192.0.2.10 blocked for spam. https://postmaster.comcast.net/BL000001" },
  },
  {
    domain: "mimecast-customer.example",
    exchanger: "eu-smtp-inbound-1.mimecast.com",
    connections: 10,
    script: {
      rcpt: greylisted(
        "451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451",
      ),
    },
  },
  {
    domain: "qq.com",
    exchanger: "mx3.qq.com",
    connections: 4,
    perConnection: 8,
    script: { greeting: slow("220 mx3.qq.com"), mail: slow("250 2.1.0 Ok") },
  },
  {
    domain: "t-online.de",
    exchanger: "mx00.t-online.de",
    isBlocking: true,
    script: {
      greeting: () => ({
        drop: true,
        raw: "554 IP=192.0.2.10 - A problem occurred. Ask your postmaster for help or to contact tobr@rx.t-online.de to clarify.\r\n",
      }),
    },
  },
];

interface Receiver extends Behaviour {
  smtp: ScriptedSmtp;
  mostOpen: number;
  /** Connections and messages beyond what it allows. */
  excess: number;
  sessions: number;
}

async function startReceiver(world: World, behaviour: Behaviour): Promise<Receiver> {
  const { domain, exchanger, connections = Number.POSITIVE_INFINITY, perConnection = 1000, script = {} } = behaviour;
  const place = { host: freeAddress(), port: Number(world.env.SMTP_PORT) };
  const carried = new Map<number, number>();
  const receiver = { ...behaviour, mostOpen: 0, excess: 0, sessions: 0 } as Receiver;
  const refuse = (raw: string) => {
    receiver.excess += 1;
    return { drop: true as const, raw };
  };
  const greeting = async (argument: string, state: PeerState) => {
    // The connection is counted by then.
    await setImmediate();
    receiver.sessions += 1;
    receiver.mostOpen = Math.max(receiver.mostOpen, receiver.smtp.open);
    if (receiver.smtp.open > connections) return refuse("421 4.7.0 Too many concurrent connections\r\n");
    return script.greeting?.(argument, state);
  };
  const mail = (argument: string, state: PeerState) => {
    const messages = (carried.get(state.connection) ?? 0) + 1;
    carried.set(state.connection, messages);
    if (messages > perConnection) return refuse("421 4.7.0 Max message per connection reached\r\n");
    return script.mail?.(argument, state);
  };
  receiver.smtp = await startScriptedSmtp({ ...place, script: { ...script, greeting, mail } });
  world.zone.set(domain, "MX", [`10 ${exchanger}.`]);
  world.zone.set(exchanger, "A", [place.host]);
  return receiver;
}

test("each receiver sees what it allows, nobody fails for the address, and other mail does not wait", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "2s" });
  const receivers: Receiver[] = [];
  for (const behaviour of RECEIVERS) receivers.push(await startReceiver(world, behaviour));
  const other = await startReceiver(world, { domain: "other.example", exchanger: "mx.other.example" });
  t.after(() => Promise.all([...receivers, other].map(({ smtp }) => smtp.close())));
  const send = async (to: string): Promise<string> => {
    const response = await world.post(sendBody({ to }));
    assert.equal(response.status, 202);
    return ((await response.json()) as { id: string }).id;
  };
  const ids: string[] = [];
  for (let i = 0; i < MESSAGES; i += 1)
    ids.push(...(await Promise.all(receivers.map(({ domain }) => send(`user${i}@${domain}`)))));
  await Promise.all(Array.from({ length: MESSAGES }, (_, i) => send(`user${i}@other.example`)));
  await until("other mail", () => other.smtp.transactions.length === MESSAGES);
  const accepting = receivers.filter(({ isBlocking }) => isBlocking !== true);
  for (const { domain, smtp } of accepting)
    await until(domain, () => new Set(smtp.transactions.map(({ rcptTo }) => rcptTo[0])).size === MESSAGES);

  for (const { domain, excess, mostOpen, connections, smtp } of accepting) {
    // A peer whose event loop is busy may notice the end of a connection after the beginning of the next.
    assert.ok(excess <= MESSAGES / 10, `${domain} refused ${excess}`);
    assert.ok(mostOpen <= (connections ?? mostOpen) + 1, `${domain}: ${mostOpen} connections`);
    assert.equal(smtp.transactions.length, MESSAGES, `${domain}: nothing twice`);
  }
  // Five refusals close it; those under way with them, and few probes, come beside them.
  for (const { domain, sessions } of receivers.filter(({ isBlocking }) => isBlocking === true))
    assert.ok(sessions <= 12, `${domain}: ${sessions} sessions`);
  for (const id of ids) {
    const report = (await (await world.lookUp(id)).json()) as MessageReport;
    for (const { result, email } of report.recipients) assert.notEqual(result, "failed", email);
  }
});
