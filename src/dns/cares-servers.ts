/**
 * DNS servers asked by node:dns (c-ares), each by a c-ares of its own, since c-ares itself goes on to the next server
 * after silence only. Decides which of its errors are definite answers and which are trouble; which server is asked next,
 * server-order.ts does.
 */
import { promises as dns } from "node:dns";
import type { DnsAnswer, LookupFailure, NegativeAnswer } from "./resolver.ts";
import { askServers, ServerOrder } from "./server-order.ts";

export interface ResolverOptions {
  /** "ip", "ip:port" or "[v6]:port"; empty for the system's. */
  servers: string[];
  /** For one query to one server; the last ones wait longer. */
  timeoutMs?: number;
  /** Queries to a silent server after a first, hasty one. */
  tries?: number;
  /** Ends every question, those to come too, as trouble: what still waits for a silent server holds up nobody. */
  signal?: AbortSignal;
  /** The system's servers as they are now, where `servers` is empty. */
  readSystem?: () => string[];
}

type Cares = InstanceType<typeof dns.Resolver>;

const TIMEOUT_MS = 5000;
const TRIES = 2;

export type Query<T> = (cares: Cares, name: string) => Promise<T[]>;

/** One of the servers, with the c-ares that goes on asking it. */
interface Server {
  address: string;
  kept: Cares;
}

/** The servers that are asked, each by a c-ares of its own. */
export class CaresServers {
  readonly #timeoutMs: number;
  readonly #tries: number;
  readonly #run: Run;
  /** Null where the servers are given. */
  readonly #readSystem: (() => string[]) | null;
  #addresses: string[];
  #order: ServerOrder<Server>;

  constructor({ servers, timeoutMs = TIMEOUT_MS, tries = TRIES, signal, readSystem }: ResolverOptions) {
    this.#timeoutMs = timeoutMs;
    this.#tries = tries;
    this.#run = signal === undefined ? direct : cancelledBy(signal);
    this.#readSystem = servers.length === 0 ? (readSystem ?? systemServers) : null;
    this.#addresses = this.#readSystem?.() ?? servers;
    this.#order = this.#orderOf(this.#addresses);
  }

  /**
   * c-ares waits only some times as long as a server took so far. One that answered everything from its cache and must
   * now ask far away would seem dead to it, so after the first round a silent server has a c-ares that has learnt nothing.
   */
  async ask<T>(query: (cares: Cares) => Promise<T[]>, endsMs: number): Promise<DnsAnswer<T>> {
    const answer = await askServers<Server, DnsAnswer<T>>({
      order: this.#order,
      rounds: 1 + this.#tries,
      endsMs,
      ask: ({ address, kept }, round) => {
        const leftMs = Math.max(endsMs - performance.now(), 1);
        const waitMs = Math.ceil(Math.min(this.#timeoutMs * Math.max(round, 1), leftMs));
        return toAnswer(this.#run(round === 0 ? kept : createCares(address, waitMs), query));
      },
    });
    if (answer.type === "failure") this.#readSystemAgain();
    return answer;
  }

  /** The system's servers change with its networks; a service may also have started before the first was up. */
  #readSystemAgain(): void {
    const addresses = this.#readSystem?.() ?? this.#addresses;
    if (addresses.join() === this.#addresses.join()) return;
    this.#addresses = addresses;
    this.#order = this.#orderOf(addresses);
  }

  #orderOf(addresses: string[]): ServerOrder<Server> {
    return new ServerOrder(addresses.map((address) => ({ address, kept: createCares(address, this.#timeoutMs) })));
  }
}

/** The servers of resolv.conf, as it is now. */
export function systemServers(): string[] {
  return new dns.Resolver().getServers();
}

function createCares(address: string, timeoutMs: number): Cares {
  const cares = new dns.Resolver({ timeout: timeoutMs, tries: 1 });
  // node:dns loses the interface of a link-local address. Only the system names such, and without a list it asks all of those.
  if (!address.includes("%")) cares.setServers([address]);
  return cares;
}

type Run = <T>(cares: Cares, query: (cares: Cares) => Promise<T[]>) => Promise<T[]>;

const direct: Run = (cares, query) => query(cares);

function cancelledBy(signal: AbortSignal): Run {
  const waiting = new Set<Cares>();
  signal.addEventListener("abort", () => {
    for (const cares of waiting) cares.cancel();
  });
  return async (cares, query) => {
    if (signal.aborted) throw Object.assign(new Error("no longer asked"), { code: "ECANCELLED" });
    waiting.add(cares);
    return query(cares);
  };
}

async function toAnswer<T>(asked: Promise<T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await asked;
    return records.length === 0 ? { type: "nodata" } : { type: "found", records };
  } catch (error) {
    return classifyError((error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  }
}

/** EBADNAME: c-ares cannot put the name into a question, so no server can have it. That is as definite as NXDOMAIN. */
function classifyError(code: string): NegativeAnswer | LookupFailure {
  if (code === "ENOTFOUND" || code === "EBADNAME") return { type: "nxdomain" };
  return code === "ENODATA" ? { type: "nodata" } : { type: "failure", code };
}
