/**
 * Sends one query to one DNS server and receives its reply: over UDP with EDNS0 (RFC 6891), over TCP where the reply is
 * truncated (RFC 7766). Decides which datagram is the reply; dns-client.ts interprets it.
 */
import { randomInt } from "node:crypto";
import { connect, isIPv6 } from "node:net";
import * as packet from "dns-packet";
import { type DnsMessage, RECORD_TYPES, type RecordTypeName, readMessage } from "./reply-reader.ts";
import type { LookupFailure } from "./resolver.ts";
import { UdpPort } from "./udp-port.ts";

/** Where a DNS server listens. */
export interface ServerAddress {
  address: string;
  port: number;
}

export interface DnsQuestion {
  /** Lower case, without the final dot. */
  name: string;
  type: RecordTypeName;
  /** For the whole exchange. */
  timeoutMs: number;
  /** Ends the exchange with ECANCELLED. */
  signal?: AbortSignal | undefined;
}

/** A definite reply: the name exists or not. */
export interface DnsReply {
  type: "reply";
  exists: boolean;
  message: DnsMessage;
}

const DNS_PORT = 53;
const ID_END = 65_536;

/** The size that passes any path without fragmentation. */
const UDP_BYTES_MAX = 1232;

/** By number, as node:dns names them. */
const RCODES = ["NOERROR", "EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED"];
const FORMERR = 1;
const NXDOMAIN = 3;

const TIMED_OUT: LookupFailure = { type: "failure", code: "ETIMEOUT" };
const CANCELLED: LookupFailure = { type: "failure", code: "ECANCELLED" };

/** "ip", "ip:port" or "[v6]:port". Throws on anything else. */
export function parseServer(text: string): ServerAddress {
  if (isIPv6(text)) return { address: text, port: DNS_PORT };
  const [, bracketed, bare, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? bare;
  if (address === undefined) throw new TypeError(`'${text}' is not the address of a DNS server`);
  return { address, port: port === undefined ? DNS_PORT : Number(port) };
}

type Received = { type: "message"; message: DnsMessage } | LookupFailure;

/** `endsMs`: the end of the exchange, by performance.now(). */
interface TimedQuestion extends DnsQuestion {
  endsMs: number;
}

export class DnsServer {
  readonly #address: ServerAddress;
  #port: UdpPort | null = null;

  /** Takes what parseServer takes. */
  constructor(text: string) {
    this.#address = parseServer(text);
  }

  /** Queries once: over UDP, then over TCP if the reply is truncated. Never rejects. */
  async query(question: DnsQuestion): Promise<DnsReply | LookupFailure> {
    const timed = { ...question, endsMs: performance.now() + question.timeoutMs };
    const reply = await this.#send(timed, true);
    // A server without EDNS cannot validate, but it can answer (RFC 6891 §7).
    const isUnread = reply.type === "message" && reply.message.rcode === FORMERR;
    return interpretReply(isUnread ? await this.#send(timed, false) : reply);
  }

  async #send(question: TimedQuestion, edns: boolean): Promise<Received> {
    const query = encodeQuery(question, edns);
    const overUdp = await this.#sendUdp(query);
    return overUdp.type === "message" && overUdp.message.isTruncated ? sendTcp(this.#address, query) : overUdp;
  }

  /** Ignores datagrams that are not the reply: a forged one must not end the exchange. */
  async #sendUdp(query: EncodedQuery): Promise<Received> {
    const port = this.#portFor(query.id);
    const { received, end } = waitForReply(query, () => stop());
    const stop = port.send({
      id: query.id,
      bytes: query.bytes,
      onDatagram(bytes) {
        const message = matchReply(query, bytes);
        if (message !== null) end({ type: "message", message });
      },
      onError: (error) => end(toFailure(error)),
    });
    const result = await received;
    if (result === TIMED_OUT) port.retire();
    return result;
  }

  #portFor(id: number): UdpPort {
    if (this.#port?.accepts(id) === true) return this.#port;
    this.#port?.retire();
    this.#port = new UdpPort(this.#address);
    return this.#port;
  }
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

function sendTcp({ address, port }: ServerAddress, query: EncodedQuery): Promise<Received> {
  const framed = new FramedMessage();
  const socket = connect({ host: address, port, noDelay: true });
  const { received, end } = waitForReply(query, () => socket.destroy());
  socket.on("connect", () => socket.write(withLengthPrefix(query.bytes)));
  socket.on("error", (error) => end(toFailure(error)));
  socket.on("close", () => end({ type: "failure", code: "ECONNRESET" }));
  socket.on("data", (chunk) => {
    const bytes = framed.add(chunk);
    if (bytes === null) return;
    const message = matchReply(query, bytes);
    end(message === null ? { type: "failure", code: "EBADRESP" } : { type: "message", message });
  });
  return received;
}

interface Waiting {
  received: Promise<Received>;
  /** Only the first call counts. */
  end: (received: Received) => void;
}

/** Calls `close` once, at the end: with the reply, at the query's limit, or when its signal aborts. */
function waitForReply({ endsMs, signal }: EncodedQuery, close: () => void): Waiting {
  let resolve: ((received: Received) => void) | null = null;
  const received = new Promise<Received>((resolvePromise) => {
    resolve = resolvePromise;
  });
  const end = (result: Received): void => {
    if (resolve === null) return;
    resolve(result);
    resolve = null;
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    close();
  };
  const cancel = (): void => end(CANCELLED);
  const timer = setTimeout(() => end(TIMED_OUT), endsMs - performance.now());
  signal?.addEventListener("abort", cancel);
  return { received, end };
}

const LENGTH_BYTES = 2;

/** A message behind its length (RFC 1035 §4.2.2), each octet of which is copied once however it arrives. */
class FramedMessage {
  /** For the length until that is known, then for the whole message as well. */
  #bytes = Buffer.alloc(LENGTH_BYTES);
  #filled = 0;

  /** The message without its length once it is complete; null before. Ignores what follows it. */
  add(chunk: Buffer): Buffer | null {
    const rest = chunk.subarray(this.#fill(chunk));
    if (this.#filled < LENGTH_BYTES) return null;
    if (this.#bytes.length === LENGTH_BYTES) {
      this.#bytes = Buffer.concat([this.#bytes], LENGTH_BYTES + this.#bytes.readUInt16BE(0));
    }
    this.#fill(rest);
    return this.#filled === this.#bytes.length ? this.#bytes.subarray(LENGTH_BYTES) : null;
  }

  #fill(chunk: Buffer): number {
    const copied = chunk.copy(this.#bytes, this.#filled);
    this.#filled += copied;
    return copied;
  }
}

function withLengthPrefix(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The message if it is the reply to `query`: same id, and same question (RFC 5452 §9.1). */
function matchReply(query: EncodedQuery, bytes: Buffer): DnsMessage | null {
  const message = readMessage(bytes, query.type);
  if (message === null || !message.isResponse || message.id !== query.id) return null;
  const { question, questionCount } = message;
  const isOurs = questionCount === 1 && question?.name === query.name && question.type === RECORD_TYPES[query.type];
  // A server that cannot parse the question may omit it.
  return isOurs || (questionCount === 0 && message.rcode === FORMERR) ? message : null;
}

function interpretReply(received: Received): DnsReply | LookupFailure {
  if (received.type === "failure") return received;
  const { message } = received;
  const { rcode } = message;
  if (message.isTruncated) return { type: "failure", code: "EBADRESP" };
  // The extended bits of EDNS report only errors that this client cannot cause.
  if (rcode !== 0 && rcode !== NXDOMAIN) return { type: "failure", code: RCODES[rcode] ?? `RCODE_${rcode}` };
  return { type: "reply", exists: rcode === 0, message };
}

function toFailure(error: NodeJS.ErrnoException): LookupFailure {
  return { type: "failure", code: error.code ?? "EUNKNOWN" };
}
