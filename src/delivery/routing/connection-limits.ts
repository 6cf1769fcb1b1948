/**
 * The limits of a destination: the least of those of its receivers (receivers/limits.ts), and how many messages its connections were seen
 * to carry.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import { type LimitSources, limitsOf, type ReceiverOverride, type ReceiverOverrides } from "../../receivers/limits.ts";
import { nameOf, receiversIn } from "../../receivers/names.ts";

/** Of one destination; null where none is known. */
export interface DestinationLimits {
  connections: number | null;
  messagesPerConnection: number | null;
  messagesPerMinute: number | null;
  /** An operator's pause after a reply about the rate; the longest. */
  pauseSeconds: number | null;
}

/** Destinations whose limits are remembered. */
const DESTINATIONS_MAX = 10_000;

/** How many messages a connection carried before its host refused the next one. */
interface Length {
  messages: number;
  /** Connections in a row that carried as many. */
  times: number;
}

/** So many connections in a row that end after the same number of messages show a limit. */
const SHOWN_TIMES = 2;
/** A host that is stopped refuses the next message too, most often after the first. */
const SHOWN_MESSAGES_MIN = 2;

/** Each attempt needs the limits of its destination several times. */
export class LimitsOfDestinations {
  #sources: LimitSources;
  #known = boundedMap<DestinationLimits>(DESTINATIONS_MAX);
  readonly #lengths = boundedMap<Length>(DESTINATIONS_MAX);

  constructor(configured: LimitSources["configured"]) {
    this.#sources = { configured, overrides: new Map() };
  }

  /** Replaces what operators have set. */
  set(overrides: ReceiverOverrides): void {
    this.#sources = { ...this.#sources, overrides };
    this.#known = boundedMap<DestinationLimits>(DESTINATIONS_MAX);
  }

  /** Notes that a host has refused another message on a connection, with 421 or only for that connection. */
  noteEnd(destination: string, messages: number): void {
    if (messages < SHOWN_MESSAGES_MIN) return;
    const last = this.#lengths.peek(destination);
    this.#lengths.set(destination, { messages, times: last?.messages === messages ? last.times + 1 : 1 });
    this.#known.delete(destination);
  }

  of(destination: string): DestinationLimits {
    const known = this.#known.peek(destination);
    if (known !== undefined) return known;
    const receivers = receiversIn(destination).map((receiver) => limitsOf(receiver, this.#sources));
    const values = (name: keyof ReceiverOverride): number[] => receivers.flatMap((limits) => limits[name] ?? []);
    const limits = {
      connections: least(values("connections")),
      messagesPerConnection: least([...values("messagesPerConnection"), ...this.#shown(destination)]),
      messagesPerMinute: least(values("messagesPerMinute")),
      pauseSeconds: values("pauseSeconds").sort((a, b) => b - a)[0] ?? null,
    };
    this.#known.set(destination, limits);
    return limits;
  }

  /** An operator's limit counts instead. */
  #shown(destination: string): number[] {
    const isSet = receiversIn(destination).some(
      (key) => this.#sources.overrides.get(nameOf(key))?.messagesPerConnection,
    );
    const { messages = 0, times = 0 } = this.#lengths.peek(destination) ?? {};
    return isSet || times < SHOWN_TIMES ? [] : [messages];
  }
}

const least = (limits: readonly number[]): number | null => (limits.length === 0 ? null : Math.min(...limits));
