/**
 * Queries DNS servers through node:dns (c-ares), with one c-ares channel for each server: c-ares itself tries the next server
 * only after a timeout. Decides which errors are definite answers and which are failures; server-order.ts decides which
 * server is next.
 */
import { promises as dns } from "node:dns";
import type { DnsAnswer, LookupFailure, NegativeAnswer } from "./resolver.ts";
import { queryServers, ServerOrder } from "./server-order.ts";

export interface ResolverOptions {
  /** "ip", "ip:port" or "[v6]:port"; empty for the system's. */
  servers: string[];
  /** For one query to one server; later rounds wait longer. */
  timeoutMs?: number;
  /** Queries to a silent server after the first, short one. */
  tries?: number;
  /** Fails pending and future queries when aborted, so that shutdown does not wait for a silent server. */
  signal?: AbortSignal;
  /** Returns the system's current servers; used where `servers` is empty. */
  readSystem?: () => string[];
}

type Cares = InstanceType<typeof dns.Resolver>;

const TIMEOUT_MS = 5000;
const TRIES = 2;

export type Query<T> = (cares: Cares, name: string) => Promise<T[]>;

interface Server {
  address: string;
  cares: Cares;
}

/** A set of DNS servers, each with its own c-ares channel. */
export class CaresServers {
  readonly #timeoutMs: number;
  readonly #tries: number;
  readonly #run: Run;
  /** Null where the servers are configured. */
  readonly #readSystem: (() => string[]) | null;
  #addresses: string[];
  #order: ServerOrder<Server>;

  constructor({ servers, timeoutMs = TIMEOUT_MS, tries = TRIES, signal, readSystem }: ResolverOptions) {
    this.#timeoutMs = timeoutMs;
    this.#tries = tries;
    this.#run = signal === undefined ? direct : cancelledBy(signal);
    this.#readSystem = servers.length === 0 ? (readSystem ?? systemServers) : null;
    this.#addresses = this.#readSystem?.() ?? servers;
    this.#order = this.#createOrder(this.#addresses);
  }

  /**
   * c-ares adapts its timeout to a server's past response times. A server that answered from its cache so far and must now
   * query a distant one would seem dead, so after the first round a silent server gets a new channel.
   */
  async lookUp<T>(query: (cares: Cares) => Promise<T[]>, endsMs: number): Promise<DnsAnswer<T>> {
    const answer = await queryServers<Server, DnsAnswer<T>>({
      order: this.#order,
      rounds: 1 + this.#tries,
      endsMs,
      query: ({ address, cares }, round) => {
        const leftMs = Math.max(endsMs - performance.now(), 1);
        const waitMs = Math.ceil(Math.min(this.#timeoutMs * Math.max(round, 1), leftMs));
        return toAnswer(this.#run(round === 0 ? cares : createCares(address, waitMs), query));
      },
    });
    if (answer.type === "failure") this.#readSystemAgain();
    return answer;
  }

  /** The system's servers change with its networks, and the service may start before the first network is up. */
  #readSystemAgain(): void {
    const addresses = this.#readSystem?.() ?? this.#addresses;
    if (addresses.join() === this.#addresses.join()) return;
    this.#addresses = addresses;
    this.#order = this.#createOrder(addresses);
  }

  #createOrder(addresses: string[]): ServerOrder<Server> {
    return new ServerOrder(addresses.map((address) => ({ address, cares: createCares(address, this.#timeoutMs) })));
  }
}

/** The servers of the current resolv.conf. */
export function systemServers(): string[] {
  return new dns.Resolver().getServers();
}

function createCares(address: string, timeoutMs: number): Cares {
  const cares = new dns.Resolver({ timeout: timeoutMs, tries: 1 });
  // node:dns drops the interface of a link-local address. Only the system's list has such addresses, and it is the default.
  if (!address.includes("%")) cares.setServers([address]);
  return cares;
}

type Run = <T>(cares: Cares, query: (cares: Cares) => Promise<T[]>) => Promise<T[]>;

const direct: Run = (cares, query) => query(cares);

function cancelledBy(signal: AbortSignal): Run {
  const pending = new Set<Cares>();
  signal.addEventListener("abort", () => {
    for (const cares of pending) cares.cancel();
  });
  return async (cares, query) => {
    if (signal.aborted) throw Object.assign(new Error("the query was cancelled"), { code: "ECANCELLED" });
    pending.add(cares);
    return query(cares);
  };
}

async function toAnswer<T>(query: Promise<T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await query;
    return records.length === 0 ? { type: "nodata" } : { type: "found", records };
  } catch (error) {
    return classifyError((error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  }
}

/** EBADNAME: c-ares cannot encode the name, so no zone can contain it. That is as definite as NXDOMAIN. */
function classifyError(code: string): NegativeAnswer | LookupFailure {
  if (code === "ENOTFOUND" || code === "EBADNAME") return { type: "nxdomain" };
  return code === "ENODATA" ? { type: "nodata" } : { type: "failure", code };
}
