/** Single messages over one open HTTP connection. */
import { connect, type Socket } from "node:net";
import { ADDRESSES, BODY_BYTES, type Submitter } from "../sides/side.ts";
import { linesOf } from "./content.ts";

export interface HttpTarget {
  host: string;
  port: number;
  key: string;
  sender?: string;
}

const { recipientDomain } = ADDRESSES;
const TEXT = linesOf(BODY_BYTES);

/**
 * Uses one connection and one write per message, like smtp.ts: Node's own client would add a large part of a
 * millisecond.
 */
export async function httpSubmitter(target: HttpTarget): Promise<Submitter> {
  const { host, port, key, sender: from = ADDRESSES.sender } = target;
  const socket = connect({ host, port, noDelay: true });
  const fields = `Host: ${host}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
  return {
    async send(number) {
      const to = `one${number}@${recipientDomain}`;
      const body = JSON.stringify({ from, to, subject: "Your order", text: TEXT });
      const length = Buffer.byteLength(body);
      socket.write(`POST /api/sending/send HTTP/1.1\r\n${fields}\r\nContent-Length: ${length}\r\n\r\n${body}`);
      const answer = await wholeAnswer(socket);
      if (!answer.startsWith("HTTP/1.1 202 ")) throw new Error(`Postrider responded ${answer}`);
    },
    close: () => void socket.end(),
  };
}

/** Reads the next response, which must have a Content-Length. */
function wholeAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const take = (chunk: Buffer): void => {
      answer += chunk.toString("latin1");
      const contentAt = answer.indexOf("\r\n\r\n") + 4;
      if (contentAt < 4) return;
      const [, length] = /^content-length: (\d+)$/im.exec(answer.slice(0, contentAt)) ?? [];
      if (length === undefined) end(() => reject(new Error(`no Content-Length in ${answer}`)));
      else if (answer.length >= contentAt + Number(length)) end(() => resolve(answer));
    };
    const closed = (): void => end(() => reject(new Error("Postrider closed the connection")));
    const end = (settle: () => void): void => {
      socket.off("data", take).off("close", closed);
      settle();
    };
    socket.on("data", take).on("close", closed);
  });
}
