/**
 * A small DNS server for the demo and the tests: a zone in memory over UDP and TCP (RFC 1035 §4.2), with faults on demand. zone.ts
 * decides the answers; this file has the wire format, truncation and the faults. Not for the public: no rate limits, no recursion,
 * and no DNSSEC beyond the AD bit that a validating resolver would set.
 */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import * as packet from "dns-packet";
import { canonicalName, createZone, type Zone, type ZoneRecord, type ZoneType, type ZoneValue } from "./zone.ts";

export type { ZoneRecord, ZoneType } from "./zone.ts";

/**
 * `silent` never answers. `truncate` sets TC over UDP, so the client retries over TCP, where `truncate_silent` never answers.
 * `malformed` cuts the reply off. `mismatched` has another id.
 */
export type ZoneFault =
  | keyof typeof FAULT_RCODES
  | "silent"
  | "truncate"
  | "truncate_silent"
  | "malformed"
  | "mismatched";

interface ZoneQuery {
  /** Lower case, without the final dot. */
  name: string;
  type: string;
}

export interface ZoneServerOptions {
  records?: ZoneRecord[];
  /** 127.0.0.1 unless given. */
  host?: string;
  /** 0, the default, for any free port. UDP and TCP use the same port. */
  port?: number;
  /** Answers with only the CNAME instead of the chain. */
  bareCname?: boolean;
  /** Zones whose answers have the AD bit for clients that ask for it (RFC 6840 §5.7). */
  authenticated?: string[];
}

export interface ZoneServer {
  /** "127.0.0.1:port", as a resolver's server. */
  readonly address: string;
  set(name: string, type: ZoneType, values: ZoneValue[]): void;
  remove(name: string, type?: ZoneType): void;
  /** Makes questions for this name, or for every name (`*`), fail until called with null; only those of `type` if given. */
  fault(name: string, kind: ZoneFault | null, type?: ZoneType): void;
  /** The newest questions, oldest first, answered or not. */
  readonly queries: ZoneQuery[];
  close(): Promise<void>;
}

const QUERIES_MAX = 10_000;
const UDP_BYTES_DEFAULT = 512;
const UDP_BYTES_MAX = 4096;
const TCP_IDLE_MS = 30_000;
const BIND_TRIES = 10;
const HEADER_BYTES = 12;
const RCODE = { noerror: 0, nxdomain: 3 };
const FAULT_RCODES = { formerr: 1, servfail: 2, notimp: 4, refused: 5 };

interface State {
  zone: Zone;
  faults: Map<string, ZoneFault>;
  queries: ZoneQuery[];
  bareCname: boolean;
  authenticated: string[];
}

/** Listens on UDP and TCP. Rejects if the port is in use. */
export async function startZoneServer(options: ZoneServerOptions = {}): Promise<ZoneServer> {
  const { host = "127.0.0.1", port = 0, records = [], bareCname = false } = options;
  const authenticated = (options.authenticated ?? []).map(canonicalName);
  const state: State = { zone: createZone(records), faults: new Map(), queries: [], bareCname, authenticated };
  const { tcp, udp } = await bind(host, port);
  const clients = new Set<Socket>();
  tcp.on("connection", (socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
    serveTcp(state, socket);
  });
  udp.on("message", (message, peer) => serveUdp(state, udp, { message, peer }));
  const bound = (tcp.address() as AddressInfo).port;
  return {
    address: host.includes(":") ? `[${host}]:${bound}` : `${host}:${bound}`,
    queries: state.queries,
    set: (name, type, values) => state.zone.set(name, type, values),
    remove: (name, type) => state.zone.remove(name, type),
    fault(name, kind, type) {
      const key = faultKey(name, type);
      if (kind === null) state.faults.delete(key);
      else state.faults.set(key, kind);
    },
    async close() {
      for (const socket of clients) socket.destroy();
      await Promise.all([new Promise((closed) => tcp.close(closed)), new Promise<void>((closed) => udp.close(closed))]);
    },
  };
}

/** Binds both sockets to one port. If any port will do, tries another when a port is free for TCP only. */
async function bind(host: string, port: number): Promise<{ tcp: Server; udp: UdpSocket }> {
  for (let tries = 1; ; tries++) {
    const tcp = createServer();
    tcp.listen(port, host);
    await once(tcp, "listening");
    const udp = createSocket(host.includes(":") ? "udp6" : "udp4");
    try {
      udp.bind((tcp.address() as AddressInfo).port, host);
      await once(udp, "listening");
      // Later errors concern single datagrams or clients; the sockets stay usable.
      udp.on("error", () => {});
      tcp.on("error", () => {});
      return { tcp, udp };
    } catch (error) {
      tcp.close();
      udp.close();
      if (port !== 0 || tries === BIND_TRIES) throw error;
    }
  }
}

function serveUdp(state: State, udp: UdpSocket, { message, peer }: { message: Buffer; peer: RemoteInfo }): void {
  const reply = answer(state, message, "udp");
  if (reply !== null) udp.send(reply, peer.port, peer.address, () => {});
}

function serveTcp(state: State, socket: Socket): void {
  let received = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const reply = answer(state, received.subarray(2, end), "tcp");
      received = received.subarray(end);
      if (reply === null) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    }
  });
}

/** The reply; null for a message that is not a query, and for a `silent` fault. */
function answer(state: State, message: Buffer, transport: "udp" | "tcp"): Buffer | null {
  const query = decode(message);
  if (query === null || query.flag_qr) return null;
  const [question, ...more] = query.questions ?? [];
  if (question === undefined || more.length > 0) return encode(query, { rcode: FAULT_RCODES.formerr });
  if ((query.flags ?? 0) & 0x7800) return encode(query, { rcode: FAULT_RCODES.notimp });
  note(state, question);
  const fault = faultFor(state, question);
  if (fault === "silent" || (fault === "truncate_silent" && transport === "tcp")) return null;
  if (fault !== null && fault in FAULT_RCODES) {
    return encode(query, { rcode: FAULT_RCODES[fault as keyof typeof FAULT_RCODES] });
  }
  if (fault === "truncate_silent" || (fault === "truncate" && transport === "udp")) {
    return encode(query, { truncated: true });
  }
  const reply = replyFromZone(state, query, question);
  if (fault === "malformed") return reply.subarray(0, HEADER_BYTES + 2);
  if (fault === "mismatched") reply.writeUInt16BE(reply.readUInt16BE(0) ^ 1, 0);
  return transport === "udp" && reply.length > udpLimitBytes(query) ? encode(query, { truncated: true }) : reply;
}

function replyFromZone(state: State, query: packet.DecodedPacket, question: packet.Question): Buffer {
  const { exists, answers } = state.zone.lookup(question.name, question.type, state.bareCname);
  const authentic = asksForAd(query) && isAuthenticated(state, [question.name, ...answers.flatMap(namesIn)]);
  return encode(query, { rcode: exists ? RCODE.noerror : RCODE.nxdomain, answers, authentic });
}

function faultFor({ faults }: State, { name, type }: packet.Question): ZoneFault | null {
  const keys = [faultKey(name, type), faultKey(name), faultKey("*", type), faultKey("*")];
  return keys.map((key) => faults.get(key)).find((fault) => fault !== undefined) ?? null;
}

function decode(message: Buffer): packet.DecodedPacket | null {
  try {
    return packet.decode(message);
  } catch {
    return null;
  }
}

interface Reply {
  rcode?: number;
  answers?: packet.Answer[];
  truncated?: boolean;
  authentic?: boolean;
}

function encode(
  query: packet.DecodedPacket,
  { rcode = RCODE.noerror, answers = [], truncated = false, authentic = false }: Reply,
): Buffer {
  const asked = query.flag_rd ? packet.RECURSION_DESIRED : 0;
  const offered = packet.AUTHORITATIVE_ANSWER | packet.RECURSION_AVAILABLE;
  return packet.encode({
    type: "response",
    id: query.id,
    flags:
      offered | asked | (truncated ? packet.TRUNCATED_RESPONSE : 0) | (authentic ? packet.AUTHENTIC_DATA : 0) | rcode,
    questions: query.questions,
    answers,
    additionals: edns(query) === undefined ? [] : [OPT],
  });
}

const OPT: packet.OptAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: UDP_BYTES_MAX,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function edns(query: packet.Packet): packet.OptAnswer | undefined {
  return query.additionals?.find((record) => record.type === "OPT");
}

function asksForAd(query: packet.DecodedPacket): boolean {
  return query.flag_ad || edns(query)?.flag_do === true;
}

/** The names that an answer depends on: its owner, and the target of an alias. */
function namesIn(answer: packet.Answer): string[] {
  return answer.type === "CNAME" ? [answer.name, answer.data] : [answer.name];
}

function isAuthenticated(state: State, names: string[]): boolean {
  const isSigned = (name: string) => state.authenticated.some((zone) => name === zone || name.endsWith(`.${zone}`));
  return names.map(canonicalName).every(isSigned);
}

/** The size that the client accepts, at least 512 (RFC 6891 §6.2.5). */
function udpLimitBytes(query: packet.Packet): number {
  const asked = edns(query)?.udpPayloadSize ?? UDP_BYTES_DEFAULT;
  return Math.min(Math.max(asked, UDP_BYTES_DEFAULT), UDP_BYTES_MAX);
}

function note(state: State, { name, type }: packet.Question): void {
  state.queries.push({ name: canonicalName(name), type });
  if (state.queries.length > QUERIES_MAX) state.queries.shift();
}

function faultKey(name: string, type = "any"): string {
  return `${canonicalName(name)} ${type}`;
}
