/** Standard input, output and error of a program that speaks a protocol over them. */
export interface StandardStreams {
  input: AsyncIterable<Uint8Array>;
  /** Writes to standard output, which has only the protocol's messages. */
  write: (text: string) => void;
  /** Resolves when standard output takes more. */
  drained: () => Promise<void>;
  /** Writes one line to standard error. */
  log: (line: string) => void;
}
