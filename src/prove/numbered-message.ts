/** The messages of a proof: each has a number, by which load, sink and look-up know it. */

export const SENDER_DOMAIN = "sender.example";
export const RECIPIENT_DOMAINS = ["one.example", "two.example", "three.example", "four.example"] as const;

const FILLER = "Mail that is accepted must survive a kill of the process.\r\n".repeat(20);

/** The last line of the content: a message without it is cut. */
export const contentMark = (number: number): string => `End of message ${number}.\r\n`;

/** The body of the request that sends the message. */
export function sendRequest(number: number) {
  return {
    from: `Proof <proof@${SENDER_DOMAIN}>`,
    to: `m${number}@${RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length]}`,
    subject: `Message ${number}`,
    text: `${FILLER}${contentMark(number)}`,
  };
}

/** The number in a recipient's address. */
export const numberIn = (address: string): number => Number(/^m(\d+)@/.exec(address)?.[1]);
