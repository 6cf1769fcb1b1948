/** The messages whose submission is cut. */
import type { Prng } from "../../../simulate/prng.ts";

export interface CutMessage {
  number: number;
  subject: string;
  recipients: string[];
  /** Whether it has an idempotency key. Its client then builds it anew for each attempt. */
  isKeyed: boolean;
  /** The lines of its body, each with CRLF; the same for each attempt. */
  body: string;
  sender: string;
}

export interface MessageOptions extends Pick<CutMessage, "number" | "subject" | "recipients"> {
  /** The address of From. */
  sender: string;
}

const KEYED_PROBABILITY = 0.2;
/** Longer than what the service reads at once. */
const LONG_PROBABILITY = 0.003;
const LONG_LINES = 2500;
const LINES_MAX = 12;

/** Lines that are easily mistaken at the end of a message. */
const LINES = ["An ordinary line.", "", ".", "..", ".dot", ". ", "-- "] as const;

export function drawMessage(prng: Prng, { number, subject, recipients, sender }: MessageOptions): CutMessage {
  const isKeyed = prng.chance(KEYED_PROBABILITY);
  const count = prng.chance(LONG_PROBABILITY) ? LONG_LINES : prng.integer(0, LINES_MAX);
  const lines = Array.from({ length: count }, (_, i) =>
    count === LONG_LINES ? `Line ${i} of many.` : prng.pick(LINES),
  );
  const body = [`Message ${number}`, ...lines].map((line) => `${line}\r\n`).join("");
  return { number, subject, recipients, isKeyed, body, sender };
}

/** The message with its final dot, as it is sent in the attempt of this number. */
export function octetsOf(message: CutMessage, attempt: number): Buffer {
  const { number, subject, recipients, sender, isKeyed, body } = message;
  const header = [
    `From: Shop <${sender}>`,
    `To: ${recipients.join(",\r\n ")}`,
    `Subject: ${subject}`,
    `Date: ${new Date(1_790_000_000_000 + 1000 * (isKeyed ? attempt : 0)).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${number}${isKeyed ? `.${attempt}` : ""}@client.example>`,
    ...(isKeyed ? [`X-Postrider-Idempotency-Key: order-${number}`] : []),
  ];
  const content = `${header.join("\r\n")}\r\n\r\n${body}`;
  return Buffer.from(`${content.replace(/^\./gm, "..")}.\r\n`, "latin1");
}
