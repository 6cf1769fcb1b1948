/**
 * Joins the lines of a log before its output gets them: for each text that pino's output is given, it counts the bytes of all that wait.
 */

/** What a text output has of pino's destination. Its own timer calls `flush`. */
interface TextOutput {
  write(text: string): boolean;
  flush(done?: (error?: Error) => void): void;
  flushSync(): void;
  end(): void;
}

/** Changes the output so that lines wait up to `length` UTF-16 code units, or until the output is flushed or ended. */
export function joinLines(output: TextOutput, length: number): void {
  const { write, flush, flushSync, end } = output;
  let lines = "";
  const pass = (): void => {
    if (lines === "") return;
    const text = lines;
    lines = "";
    write.call(output, text);
  };
  output.write = (line) => {
    lines += line;
    if (lines.length >= length) pass();
    return true;
  };
  output.flush = (done) => {
    pass();
    flush.call(output, done);
  };
  output.flushSync = () => {
    pass();
    flushSync.call(output);
  };
  output.end = () => {
    pass();
    end.call(output);
  };
}
