/** The stream of a message's content, as a listener gets it. */
import { Readable } from "node:stream";
import type { SMTPServerDataStream } from "smtp-server";

/** As smtp-server's stream after DATA, at its end or before. Chunks stay as they were added. */
export class Content extends Readable {
  byteLength = 0;
  sizeExceeded = false;

  constructor() {
    super({ objectMode: true });
  }

  override _read(): void {}

  /** Adds octets as they arrive. */
  add(octets: string | Buffer): this {
    const chunk = Buffer.from(octets as string);
    this.byteLength += chunk.length;
    this.push(chunk);
    return this;
  }

  /** The final dot. */
  end(): this {
    this.push(null);
    return this;
  }

  get stream(): SMTPServerDataStream {
    return this as unknown as SMTPServerDataStream;
  }
}

export const contentOf = (text: string | Buffer): Content => new Content().add(text).end();
