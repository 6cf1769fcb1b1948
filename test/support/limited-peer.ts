/**
 * A mail exchanger that allows a number of connections at one time: it counts them, and answers 421 to each one more. It also counts
 * the transactions in progress, to show how busy the allowed connections are.
 */
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { type ScriptedSmtp, type ScriptedSmtpOptions, startScriptedSmtp } from "./scripted-smtp.ts";

export interface LimitedPeerOptions extends Pick<ScriptedSmtpOptions, "host" | "port"> {
  connectionsMax: number;
  /** How long the reply to a final dot takes. */
  replyMs: number;
}

export class LimitedPeer {
  readonly connectionsMax: number;
  /** The most connections that were open at one time, refused ones included. */
  mostOpen = 0;
  /** Connections answered with 421. */
  refused = 0;
  /** Transactions from MAIL until the reply to the final dot. */
  inProgress = 0;
  #smtp: ScriptedSmtp | null = null;

  private constructor(connectionsMax: number) {
    this.connectionsMax = connectionsMax;
  }

  static async start({ connectionsMax, replyMs, ...place }: LimitedPeerOptions): Promise<LimitedPeer> {
    const peer = new LimitedPeer(connectionsMax);
    peer.#smtp = await startScriptedSmtp({
      ...place,
      script: {
        greeting: () => peer.#greet(),
        mail() {
          peer.inProgress += 1;
          return undefined;
        },
        async dot() {
          await delay(replyMs);
          peer.inProgress -= 1;
          return undefined;
        },
      },
    });
    return peer;
  }

  get smtp(): ScriptedSmtp {
    if (this.#smtp === null) throw new Error("the peer is not started");
    return this.#smtp;
  }

  async #greet() {
    // The connection is counted by then.
    await setImmediate();
    const { open } = this.smtp;
    this.mostOpen = Math.max(this.mostOpen, open);
    if (open <= this.connectionsMax) return undefined;
    this.refused += 1;
    return { drop: true as const, raw: "421 4.7.0 Too many concurrent connections\r\n" };
  }
}
