/**
 * One question to one DNS server and its reply: UDP with EDNS0 (RFC 6891), TCP where the reply is truncated
 * (RFC 7766). Decides which datagrams are the reply at all; what the reply means is secure-query.ts's.
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
  /** For all messages that it takes. */
  timeoutMs: number;
}

/** A definite reply: the name exists or not. `authentic` is the AD bit as it came. */
export interface DnsReply {
  type: "reply";
  exists: boolean;
  authentic: boolean;
  answers: packet.Answer[];
}

const DNS_PORT = 53;
const ID_END = 65_536;

/** What crosses any path without fragments. */
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
  if (address === undefined) throw new TypeError(`no DNS server: ${text}`);
  return { address, port: port === undefined ? DNS_PORT : Number(port) };
}

/** Asks once: over UDP, and over TCP if that is truncated. Never rejects. */
export async function exchangeQuery(server: DnsServer, asked: DnsQuestion): Promise<DnsReply | LookupFailure> {
  const question = { ...asked, endsMs: performance.now() + asked.timeoutMs };
  const reply = await sendQuery(server, question, true);
  // A server that does not know EDNS cannot validate, but it can answer (RFC 6891 §7).
  const decoded =
    reply.type === "message" && rcodeOf(reply.message) === FORMERR ? sendQuery(server, question, false) : reply;
  return interpretReply(await decoded);
}

type Received = { type: "message"; message: packet.DecodedPacket } | LookupFailure;

/** With the end of all waiting, by performance.now(). */
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

/** AD and DO both ask to be told of validation (RFC 6840 §5.7); an old resolver may know only one of them. */
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

/** From a new port that the system draws. What is not the reply is passed over: a forger must not be able to end the wait. */
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
    // A connected socket takes datagrams from that server alone. Its errors come as events only if no callback is given.
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

/** The message if it is the reply to `query`: its id, and its question echoed (RFC 5452 §9.1). */
function matchReply(query: EncodedQuery, bytes: Buffer): packet.DecodedPacket | null {
  const message = decode(bytes);
  if (message === null || !message.flag_qr || message.id !== query.id) return null;
  const [echoed, ...more] = message.questions ?? [];
  const isOurs =
    echoed?.type === query.type && (echoed.class ?? "IN") === "IN" && echoed.name.toLowerCase() === query.name;
  // A server that cannot read the question may leave it out.
  const isUnread = echoed === undefined && rcodeOf(message) === FORMERR;
  return (isOurs && more.length === 0) || isUnread ? message : null;
}

function decode(bytes: Buffer): packet.DecodedPacket | null {
  try {
    const message = packet.decode(bytes);
    // The library reads on behind the end of a message that is cut off in a record.
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

/** The code's low bits in the header; the extended ones of EDNS only tell errors that this client cannot cause. */
function rcodeOf(message: packet.Packet): number {
  return (message.flags ?? 0) & 0xf;
}

function toFailure(error: NodeJS.ErrnoException): LookupFailure {
  return { type: "failure", code: error.code ?? "EUNKNOWN" };
}
