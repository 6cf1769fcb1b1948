/**
 * The public addresses that messages are sent from: those of this server, and those of the other nodes on the same database. Each
 * node announces its own there. What a domain must authorize by SPF are all of them.
 */
import type { Resolver } from "../../dns/resolver.ts";
import { discoverSendingIps } from "../../domains/sending-ips.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import type { SendingAddress, SendingPlan } from "../../spool/port/sending-addresses.ts";

/** How often this node announces its addresses, and reads those of the others. */
const REFRESH_MS = 60_000;
/** The same where mail depends on which nodes are live. */
const REFRESH_RECORDED_MS = 10_000;

export interface AddressSettings {
  /** The EHLO name. */
  hostname: string;
  /** SENDING_IPS; null: to be discovered. */
  sendingIps: string[] | null;
}

export interface AddressParts {
  nodes: Nodes | null;
  clock: Clock;
  log: Logger;
}

/** The addresses of this server, as configured or discovered; empty where none is found. Never rejects. */
export async function ownSendingIps({ hostname, sendingIps }: AddressSettings, resolver: Resolver): Promise<string[]> {
  return sendingIps ?? (await discoverSendingIps(hostname, resolver));
}

/**
 * The addresses that the service sends from, for a process beside it: those of the nodes, or of this server where no node has
 * announced any. Rejects if the spool cannot be read.
 */
export async function serviceSendingIps(
  settings: AddressSettings,
  resolver: Resolver,
  nodes: Nodes | null,
): Promise<string[]> {
  const announced = (await nodes?.sendingIps()) ?? [];
  return announced.length > 0 ? announced : ownSendingIps(settings, resolver);
}

/** The addresses of a host and their names for EHLO, as the doctor checks them. */
export function checkedAddresses(
  own: readonly string[],
  added: readonly Pick<SendingAddress, "ip" | "name">[],
): { sendingIps: string[]; addressNames: Map<string, string> } {
  const addressNames = new Map(added.map(({ ip, name }) => [ip, name]));
  return { sendingIps: [...new Set([...own, ...addressNames.keys()])], addressNames };
}

export class SendingAddresses {
  /** Those of this server. */
  readonly own: string[];
  /** Those of the sending addresses that operators have added and that this server has. */
  #recorded: readonly SendingAddress[] = [];
  #plan: SendingPlan = { addresses: [], pools: [] };
  readonly #parts: AddressParts;
  #announced: string[] = [];
  #live: string[] = [];
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(own: string[], parts: AddressParts) {
    this.own = own;
    this.#parts = parts;
  }

  /** Those of this server and of the other nodes, as of the last minute. */
  get all(): string[] {
    return [...new Set([...this.#announced, ...this.#announcing])];
  }

  /** Those of this server and of the other live nodes, as of the last refresh. */
  get live(): string[] {
    return [...new Set([...this.#live, ...this.#announcing])];
  }

  /** The addresses and pools of all nodes, as operators have added them. */
  get plan(): SendingPlan {
    return this.#plan;
  }

  /** Sets the plan, and those of its addresses that this server has. */
  record(addresses: readonly SendingAddress[], plan: SendingPlan): void {
    const before = JSON.stringify([this.#announcing, this.#plan]);
    this.#recorded = addresses;
    this.#plan = plan;
    // Nodes leave mail to each other by what they have announced.
    if (JSON.stringify([this.#announcing, plan]) !== before) void this.start();
  }

  /** Those that mail may leave from on this server: as operators have added them, and those without a record only by their IP. */
  get here(): (Pick<SendingAddress, "ip"> & Partial<SendingAddress>)[] {
    const others = this.own.filter((ip) => !this.#recorded.some((each) => each.ip === ip));
    return [...others.map((ip) => ({ ip })), ...this.#recorded];
  }

  get checked(): ReturnType<typeof checkedAddresses> {
    return checkedAddresses(this.own, this.#recorded);
  }

  get #announcing(): string[] {
    return this.here.map(({ ip }) => ip);
  }

  /** Announces this server's addresses and reads the others', now and from time to time. Resolves after the first time. */
  async start(): Promise<void> {
    const { nodes, clock } = this.#parts;
    if (nodes === null || this.#isStopped) return;
    this.#cancel();
    await this.#announce();
    if (this.#isStopped) return;
    this.#cancel();
    const refreshMs = this.#plan.addresses.length > 0 ? REFRESH_RECORDED_MS : REFRESH_MS;
    this.#cancel = clock.after(refreshMs, () => void this.start());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Never rejects. */
  async #announce(): Promise<void> {
    const { nodes, log } = this.#parts;
    if (nodes === null) return;
    try {
      await nodes.own?.announceSendingIps(this.#announcing);
      this.#announced = await nodes.sendingIps();
      const live = (await nodes.list()).filter(({ state }) => state !== "expired");
      this.#live = live.flatMap((node) => node.sendingIps);
    } catch (error) {
      log.warn({ error: errorText(error) }, "sending addresses not exchanged with the other nodes");
    }
  }
}
