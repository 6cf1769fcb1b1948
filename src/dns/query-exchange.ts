/**
 * Sends one query to one DNS server and receives its reply: over UDP with EDNS0 (RFC 6891), over TCP where the reply is
 * truncated (RFC 7766). Decides which datagram is the reply; secure-resolver.ts interprets it.
 */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import * as packet from "dns-packet";
import type { LookupFailure } from "./resolver.ts";

export interface DnsServer {
  address: string;
  port: number;
}

export interface DnsQuestion {
  /** Lower case, without the final dot. */
  name: string;
  type: packet.RecordType;
  /** For the whole exchange. */
  timeoutMs: number;
}

/** A definite reply: the name exists or not. `authentic` is the AD bit as received. */
export interface DnsReply {
  type: "reply";
  exists: boolean;
  authentic: boolean;
  answers: packet.Answer[];
}

const DNS_PORT = 53;
const ID_END = 65_536;

/** The size that passes any path without fragmentation. */
const UDP_BYTES_MAX = 1232;

/** By number, as node:dns names them. */
const RCODES = ["NOERROR", "EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED"];
const FORMERR = 1;
const NXDOMAIN = 3;

/** "ip", "ip:port" or "[v6]:port". Throws on anything else. */
export function parseServer(text: string): DnsServer {
  if (isIPv6(text)) return { address: text, port: DNS_PORT };
  const [, bracketed, bare, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? bare;
  if (address === undefined) throw new TypeError(`'${text}' is not the address of a DNS server`);
  return { address, port: port === undefined ? DNS_PORT : Number(port) };
}

/** Queries once: over UDP, then over TCP if the reply is truncated. Never rejects. */
export async function exchangeQuery(server: DnsServer, question: DnsQuestion): Promise<DnsReply | LookupFailure> {
  const timed = { ...question, endsMs: performance.now() + question.timeoutMs };
  const reply = await sendQuery(server, timed, true);
  // A server without EDNS cannot validate, but it can answer (RFC 6891 §7).
  const decoded =
    reply.type === "message" && rcodeOf(reply.message) === FORMERR ? sendQuery(server, timed, false) : reply;
  return interpretReply(await decoded);
}

type Received = { type: "message"; message: packet.DecodedPacket } | LookupFailure;

/** `endsMs`: the end of the exchange, by performance.now(). */
interface TimedQuestion extends DnsQuestion {
  endsMs: number;
}

async function sendQuery(server: DnsServer, question: TimedQuestion, edns: boolean): Promise<Received> {
  const query = encodeQuery(question, edns);
  const overUdp = await sendUdp(server, query);
  return overUdp.type === "message" && overUdp.message.flag_tc ? sendTcp(server, query) : overUdp;
}

interface EncodedQuery extends TimedQuestion {
  id: number;
  bytes: Buffer;
}

/** AD and DO both request validation (RFC 6840 §5.7); an old resolver may support only one of them. */
function encodeQuery(question: TimedQuestion, edns: boolean): EncodedQuery {
  const { name, type } = question;
  const id = randomInt(ID_END);
  const opt: packet.OptAnswer = {
    type: "OPT",
    name: ".",
    udpPayloadSize: UDP_BYTES_MAX,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: packet.DNSSEC_OK,
    flag_do: true,
    options: [],
  };
  const bytes = packet.encode({
    type: "query",
    id,
    flags: packet.RECURSION_DESIRED | packet.AUTHENTIC_DATA,
    questions: [{ type, name }],
    additionals: edns ? [opt] : [],
  });
  return { ...question, id, bytes };
}

/** Uses a new random port. Ignores datagrams that are not the reply: a forged one must not end the exchange. */
function sendUdp({ address, port }: DnsServer, query: EncodedQuery): Promise<Received> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    let ended = false;
    const end = (received: Received): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.close();
      resolve(received);
    };
    const timer = setTimeout(() => end({ type: "failure", code: "ETIMEOUT" }), query.endsMs - performance.now());
    socket.on("error", (error) => end(toFailure(error)));
    socket.on("message", (bytes) => {
      const message = matchReply(query, bytes);
      if (message !== null) end({ type: "message", message });
    });
    // A connected socket receives datagrams from that server only. Errors become events only if no callback is passed.
    socket.on("connect", () => socket.send(query.bytes));
    socket.connect(port, address);
  });
}

function sendTcp({ address, port }: DnsServer, query: EncodedQuery): Promise<Received> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const socket = connect({ host: address, port, noDelay: true });
    const end = (result: Received): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end({ type: "failure", code: "ETIMEOUT" }), query.endsMs - performance.now());
    socket.on("connect", () => socket.write(withLengthPrefix(query.bytes)));
    socket.on("error", (error) => end(toFailure(error)));
    socket.on("close", () => end({ type: "failure", code: "ECONNRESET" }));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const message = matchReply(query, received.subarray(2, 2 + received.readUInt16BE(0)));
      end(message === null ? { type: "failure", code: "EBADRESP" } : { type: "message", message });
    });
  });
}

function withLengthPrefix(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The message if it is the reply to `query`: same id, and same question (RFC 5452 §9.1). */
function matchReply(query: EncodedQuery, bytes: Buffer): packet.DecodedPacket | null {
  const message = decode(bytes);
  if (message === null || !message.flag_qr || message.id !== query.id) return null;
  const [echoed, ...more] = message.questions ?? [];
  const isOurs =
    echoed?.type === query.type && (echoed.class ?? "IN") === "IN" && echoed.name.toLowerCase() === query.name;
  // A server that cannot parse the question may omit it.
  const isUnread = echoed === undefined && rcodeOf(message) === FORMERR;
  return (isOurs && more.length === 0) || isUnread ? message : null;
}

function decode(bytes: Buffer): packet.DecodedPacket | null {
  try {
    const message = packet.decode(bytes);
    // The library reads past the end of a message that is truncated inside a record.
    const { bytes: readTo = 0 } = packet.decode as { bytes?: number };
    return readTo <= bytes.length ? message : null;
  } catch {
    return null;
  }
}

function interpretReply(received: Received): DnsReply | LookupFailure {
  if (received.type === "failure") return received;
  const { message } = received;
  const rcode = rcodeOf(message);
  if (message.flag_tc) return { type: "failure", code: "EBADRESP" };
  if (rcode !== 0 && rcode !== NXDOMAIN) return { type: "failure", code: RCODES[rcode] ?? `RCODE_${rcode}` };
  const answers = (message.answers ?? []).filter((answer) => !("class" in answer) || answer.class === "IN");
  return { type: "reply", exists: rcode === 0, authentic: message.flag_ad, answers };
}

/** The low bits of the code in the header; the extended bits of EDNS report only errors that this client cannot cause. */
function rcodeOf(message: packet.Packet): number {
  return (message.flags ?? 0) & 0xf;
}

function toFailure(error: NodeJS.ErrnoException): LookupFailure {
  return { type: "failure", code: error.code ?? "EUNKNOWN" };
}
