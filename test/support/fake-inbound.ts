/** The inbound listener alone, on a clock that only the test advances, with a store in memory and one domain's return path. */
import { mkdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { incomingRecipients } from "../../src/app/incoming/incoming-recipients.ts";
import { type AddressLimitOptions, AddressLimits } from "../../src/inbound/address-limits.ts";
import { Backlog } from "../../src/inbound/backlog.ts";
import { type InboundListener, type InboundOptions, listenForInbound } from "../../src/inbound/listener.ts";
import type { InboundReply } from "../../src/inbound/protocol.ts";
import type { ReceivedMail } from "../../src/inbound/session.ts";
import { silentLog } from "../../src/lib/log.ts";
import { unlimitedMemory } from "../../src/lib/memory-guard.ts";
import { messageId } from "../../src/message/ids.ts";
import { returnPathAddress } from "../../src/message/return-path.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { tempDir } from "./temp-dir.ts";

export const FEEDBACK_KEY = Buffer.alloc(32, 7);
/** The domain with a return path. */
export const DOMAIN = "shop.example";
export const MESSAGE_ID = messageId(1_700_000_000_000, (bytes) => Buffer.alloc(bytes, 5));

/** The envelope sender of a recipient. */
export const envelopeSender = (position = 0, domain = DOMAIN): string =>
  returnPathAddress({ messageId: MESSAGE_ID, position, domain }, FEEDBACK_KEY);

export interface FakeInbound {
  port: number;
  clock: FakeClock;
  certsDir: string;
  listener: InboundListener;
  /** What was stored, in order. */
  stored: ReceivedMail[];
  replies: InboundReply[];
  /** What a test may change at any time. */
  state: {
    /** Rejects each call of the store. */
    storeError: Error | null;
    /** Rejects each look for a domain. */
    domainsError: Error | null;
    /** Holds what is to be stored, until it resolves. */
    hold: Promise<void>;
  };
}

export interface FakeInboundOptions extends Partial<InboundOptions> {
  limits?: AddressLimitOptions;
}

/** Starts listening; it stops with the test. */
export async function startFakeInbound(t: TestContext, options: FakeInboundOptions = {}): Promise<FakeInbound> {
  const clock = fakeClock(Date.now());
  const certsDir = options.certsDir ?? tempDir(t);
  mkdirSync(certsDir, { recursive: true });
  const [stored, replies]: [ReceivedMail[], InboundReply[]] = [[], []];
  const state: FakeInbound["state"] = { storeError: null, domainsError: null, hold: Promise.resolve() };
  const domains = {
    async returnPathOwner(name: string) {
      if (state.domainsError !== null) throw state.domainsError;
      return name === DOMAIN ? { accountId: "acc_1", domainId: "dom_1" } : null;
    },
  };
  const { limits, ...own } = options;
  const listener = await listenForInbound({
    host: "127.0.0.1",
    port: 0,
    certsDir,
    hostname: "mta.test",
    memory: unlimitedMemory,
    clock,
    log: silentLog,
    recipients: incomingRecipients({ key: FEEDBACK_KEY, domains }),
    store: {
      async storeIncoming(mail) {
        await state.hold;
        if (state.storeError !== null) throw state.storeError;
        stored.push({ ...mail, content: Buffer.from(mail.content) });
      },
    },
    addresses: new AddressLimits(clock, limits),
    backlog: new Backlog({ store: { incomingBacklog: async () => ({ mails: 0, octets: 0, networks: [] }) }, clock }),
    messages: new MessageMemory(clock),
    onReply: (reply) => void replies.push(reply),
    ...own,
  });
  t.after(() => listener.close());
  return { port: listener.port, clock, certsDir, listener, stored, replies, state };
}
