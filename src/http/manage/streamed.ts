/** Responses and bodies of operations that are not one JSON document. */

/** A response of parts, which an operation resolves with instead of a JSON body. */
export class Streamed {
  /** A media type. */
  readonly type: string;
  readonly parts: AsyncIterable<string>;

  constructor(type: string, parts: AsyncIterable<string>) {
    this.type = type;
    this.parts = parts;
  }
}
