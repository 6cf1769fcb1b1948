/**
 * Looks up the records of one kind at a name: queries the servers in their order and follows aliases, within a limit of time.
 * query-exchange.ts exchanges the messages; stub-resolver.ts and secure-resolver.ts decide what their callers see.
 *
 * Not node:dns: it reads every record of an answer before it returns (reply-reader.ts), shows no AD bit, and gives a server
 * that answered from its cache too short a time for a distant zone.
 */
import { setMaxListeners } from "node:events";
import { isQueryableName, normalizeName } from "./name.ts";
import { type DnsReply, DnsServer } from "./query-exchange.ts";
import { CNAME, type RecordKind } from "./record-data.ts";
import { type AnswerRecord, RECORD_TYPES, unlessMalformed } from "./reply-reader.ts";
import type { LookupFailure, Omission } from "./resolver.ts";
import { queryServers, ServerOrder } from "./server-order.ts";

export interface DnsClientOptions {
  /** "ip", "ip:port" or "[v6]:port". */
  servers: string[];
  /** For one query to one server; the first round waits less, later ones longer. */
  timeoutMs?: number | undefined;
  /** Queries to a silent server after the first, short one. */
  tries?: number | undefined;
  /** Fails pending and future queries when aborted, so that shutdown does not wait for a silent server. */
  signal?: AbortSignal | undefined;
  /** Returns the current servers; read again after a failure. `servers` stay where it is absent. */
  readServers?: (() => string[]) | undefined;
}

/** `name`: where the aliases led. `authentic`: each reply had the AD bit. */
export type LookupAnswer<T> =
  | { type: "found"; records: T[]; omitted?: Omission; name: string; authentic: boolean }
  | { type: "nodata"; omitted?: Omission; authentic: boolean }
  | { type: "nxdomain"; authentic: boolean }
  | LookupFailure;

const TIMEOUT_MS = 5000;
/** Of the first round: a datagram may be lost. */
const FIRST_TIMEOUT_MS = 1500;
const TRIES = 2;

/** For one name with its aliases, over all servers: no query starts after that. */
const LOOKUP_LIMIT_MS = 30_000;
const CNAME_HOPS_MAX = 8;

interface TimedLookup<T> {
  kind: RecordKind<T>;
  /** By performance.now(). */
  endsMs: number;
}

/** A set of DNS servers. */
export class DnsClient {
  readonly #options: DnsClientOptions;
  #servers: string[];
  #order: ServerOrder<DnsServer>;

  /** Throws on a server that is not an address. */
  constructor(options: DnsClientOptions) {
    this.#options = options;
    this.#servers = options.servers;
    this.#order = orderOf(options.servers);
    if (options.signal !== undefined) setMaxListeners(0, options.signal);
  }

  /** Never rejects. */
  async lookUp<T>(kind: RecordKind<T>, queried: string): Promise<LookupAnswer<T>> {
    const timed = { kind, endsMs: performance.now() + LOOKUP_LIMIT_MS };
    let name = normalizeName(queried);
    let hops = 0;
    let authentic = true;
    while (isQueryableName(name)) {
      const reply = await this.#query(name, timed);
      if (reply.type === "failure") return reply;
      authentic &&= reply.message.isAuthentic;
      const end = unlessMalformed(() => followChain({ reply, kind, name, hops }));
      if (end === null) return { type: "failure", code: "EBADRESP" };
      if (end.type !== "alias") return end.type === "failure" ? end : { ...end, authentic };
      ({ name, hops } = end);
    }
    return { type: "nxdomain", authentic: authentic && hops > 0 };
  }

  async #query<T>(name: string, { kind, endsMs }: TimedLookup<T>): Promise<DnsReply | LookupFailure> {
    const { timeoutMs = TIMEOUT_MS, tries = TRIES, signal } = this.#options;
    if (signal?.aborted === true) return { type: "failure", code: "ECANCELLED" };
    const reply = await queryServers<DnsServer, DnsReply>({
      order: this.#order,
      rounds: 1 + tries,
      endsMs,
      query: (server, round) => {
        const waitMs = round === 0 ? Math.min(timeoutMs, FIRST_TIMEOUT_MS) : timeoutMs * round;
        const leftMs = Math.max(endsMs - performance.now(), 1);
        return server.query({ name, type: kind.type, timeoutMs: Math.min(waitMs, leftMs), signal });
      },
    });
    if (reply.type === "failure") this.#readServersAgain();
    return reply;
  }

  /** The system's servers change with its networks, and the service may start before the first network is up. */
  #readServersAgain(): void {
    const servers = this.#options.readServers?.() ?? this.#servers;
    if (servers.join() === this.#servers.join()) return;
    this.#servers = servers;
    this.#order = orderOf(servers);
  }
}

function orderOf(servers: string[]): ServerOrder<DnsServer> {
  return new ServerOrder(servers.map((server) => new DnsServer(server)));
}

interface Chain<T> {
  reply: DnsReply;
  kind: RecordKind<T>;
  /** Where it starts. */
  name: string;
  /** The CNAMEs so far. */
  hops: number;
}

/** `alias`: the reply ends with a CNAME, as that of a server that does not follow them. */
type ChainEnd<T> =
  | { type: "found"; records: T[]; omitted?: Omission; name: string }
  | { type: "nodata"; omitted?: Omission }
  | { type: "nxdomain" }
  | { type: "alias"; name: string; hops: number }
  | LookupFailure;

/** The records at the end of the reply's chain of CNAMEs. */
function followChain<T>({ reply, kind, name, hops }: Chain<T>): ChainEnd<T> {
  const { bytes, answers } = reply.message;
  let current = name;
  for (let hop = hops; hop <= CNAME_HOPS_MAX; hop += 1) {
    const here = answers.filter(({ owner }) => owner === current);
    const records = here.filter(isOfType(kind));
    if (records.length > 0) return readRecords(bytes, { kind, records, name: current });
    const alias = here.find(isOfType(CNAME));
    if (alias === undefined) {
      if (reply.exists && hop > hops) return { type: "alias", name: current, hops: hop };
      return { type: reply.exists ? "nodata" : "nxdomain" };
    }
    current = CNAME.read(bytes, [alias]).records[0] ?? "";
  }
  return { type: "failure", code: "CNAME_LOOP" };
}

const isOfType =
  <T>({ type }: RecordKind<T>) =>
  (record: AnswerRecord): boolean =>
    record.type === RECORD_TYPES[type];

interface NamedRecords<T> {
  kind: RecordKind<T>;
  records: AnswerRecord[];
  name: string;
}

function readRecords<T>(bytes: Buffer, { kind, records, name }: NamedRecords<T>): ChainEnd<T> {
  const bounded = kind.read(bytes, records);
  if (bounded.records.length > 0) return { type: "found", ...bounded, name };
  return bounded.omitted === undefined ? { type: "nodata" } : { type: "nodata", omitted: bounded.omitted };
}
