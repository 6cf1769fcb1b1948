/**
 * Hosts that are slow or hang, each kind in its way, and one that answers at once. They inject no faults. Decides what a host does
 * at each step; slow-hosts.ts decides how many there are.
 */
import type { PeerEnd, PeerHandler } from "./network.ts";
import type { Prng } from "./prng.ts";
import type { Timeline } from "./virtual-time.ts";

/** `silent_dns` and `no_connection` never get as far as a peer. */
export const SLOW_KINDS = [
  "no_greeting",
  "hangs_at_mail",
  "late_dot",
  "prompt_then_hangs",
  "prompt_then_late",
  "no_connection",
  "silent_dns",
] as const;
export type SlowKind = (typeof SLOW_KINDS)[number];

/** How long the others hold a dot. */
const LATE_MS = [8_000, 60_000] as const;
const REPLY_MS = [0.1, 20] as const;

export interface SlowPeerOptions {
  time: Timeline;
  prng: Prng;
  /** Null for a host that answers at once. */
  kind: SlowKind | null;
  /** How many messages the host has accepted, in all connections, and how many it accepts promptly if it is slow later. */
  host: { accepted: number; promptFirst: number };
  /** Called with the content of each message that it accepts. */
  onAccepted: (content: string) => void;
}

/** A host's end of one SMTP connection. */
export class SlowPeer implements PeerHandler {
  readonly #end: PeerEnd;
  readonly #options: SlowPeerOptions;
  #received = "";
  #isContent = false;
  #lastReplyMs = 0;

  constructor(end: PeerEnd, options: SlowPeerOptions) {
    this.#end = end;
    this.#options = options;
    if (options.kind !== "no_greeting") this.#reply("220 peer.example ESMTP");
  }

  closed(): void {}

  receive(bytes: Buffer): void {
    this.#received += bytes.toString("latin1");
    while (this.#isContent ? this.#readContent() : this.#readLine());
  }

  #readLine(): boolean {
    const at = this.#received.indexOf("\r\n");
    if (at === -1) return false;
    const verb = this.#received.slice(0, 4).toUpperCase();
    this.#received = this.#received.slice(at + 2);
    if (verb === "MAIL" && this.#hangsAtMail) return true;
    this.#isContent = verb === "DATA";
    this.#reply(this.#isContent ? "354 go ahead" : "250 ok");
    return true;
  }

  #readContent(): boolean {
    const at = this.#received.indexOf("\r\n.\r\n");
    if (at === -1) return false;
    const content = this.#received.slice(0, at);
    this.#received = this.#received.slice(at + 5);
    this.#isContent = false;
    const { host, onAccepted, prng } = this.#options;
    const isLate = this.#isLate;
    host.accepted += 1;
    onAccepted(content);
    this.#reply("250 queued", isLate ? prng.logUniform(LATE_MS) : undefined);
    return true;
  }

  get #hangsAtMail(): boolean {
    const { kind, host } = this.#options;
    return kind === "hangs_at_mail" || (kind === "prompt_then_hangs" && host.accepted >= host.promptFirst);
  }

  get #isLate(): boolean {
    const { kind, host } = this.#options;
    return kind === "late_dot" || (kind === "prompt_then_late" && host.accepted >= host.promptFirst);
  }

  #reply(line: string, delayMs = this.#options.prng.logUniform(REPLY_MS)): void {
    const { time } = this.#options;
    this.#lastReplyMs = Math.max(this.#lastReplyMs, time.nowMs + delayMs);
    time.after(this.#lastReplyMs - time.nowMs, () => {
      if (this.#end.isOpen) this.#end.send(Buffer.from(`${line}\r\n`));
    });
  }
}
