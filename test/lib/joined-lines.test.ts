import assert from "node:assert/strict";
import { test } from "node:test";
import { joinLines } from "../../src/lib/joined-lines.ts";

function newOutput() {
  const calls: string[] = [];
  const output = {
    write(text: string): boolean {
      calls.push(text);
      return true;
    },
    flush: (done?: () => void) => {
      calls.push("flush");
      done?.();
    },
    flushSync: () => void calls.push("flushSync"),
    end: () => void calls.push("end"),
  };
  joinLines(output, 6);
  return { output, calls };
}

test("lines are passed on together once they are long enough", () => {
  const { output, calls } = newOutput();
  for (const line of ["a\n", "b\n", "c\n", "d\n"]) output.write(line);
  assert.deepEqual(calls, ["a\nb\nc\n"]);
});

test("lines that wait are passed on before the output is flushed or ended", () => {
  for (const how of ["flush", "flushSync", "end"] as const) {
    const { output, calls } = newOutput();
    output.write("a\n");
    output[how]();
    output[how]();
    assert.deepEqual(calls, ["a\n", how, how]);
  }
});

test("a flush calls back", () => {
  const { output, calls } = newOutput();
  output.write("a\n");
  output.flush(() => calls.push("flushed"));
  assert.deepEqual(calls, ["a\n", "flush", "flushed"]);
});
