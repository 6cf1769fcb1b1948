/** The text of the help. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Command } from "../../src/cli/command.ts";
import { helpText } from "../../src/cli/help.ts";

const run = async () => ({ json: null, text: "" });
const COMMANDS: Command[] = [
  {
    usage: "queue list",
    summary: "what waits",
    options: { domain: { type: "string", usage: "[--domain NAME]" } },
    run,
  },
  { usage: "queue retry ID [RECIPIENT]", summary: "try again", run },
  { usage: "doctor", summary: "look", run },
];

it("puts the summary of a long usage on the next line, in the same column", () => {
  const long: Command = { usage: `queue drain ${"[NAME] ".repeat(9)}`.trim(), summary: "wait", run };
  const [first, second, third] = helpText([...COMMANDS, long], null)
    .split("\n")
    .slice(5);
  assert.deepEqual([first, third], ["  doctor                      look", "                              wait"]);
  assert.equal(second, `  ${long.usage}`);
});

it("lists commands with arguments and summaries, in columns", () => {
  const lines = helpText(COMMANDS, null).split("\n");
  assert.deepEqual(lines.slice(3, 6), [
    "  queue list [--domain NAME]  what waits",
    "  queue retry ID [RECIPIENT]  try again",
    "  doctor                      look",
  ]);
  const help = helpText(COMMANDS, "doctor");
  assert.match(help, /^ {2}doctor {2}look$/m);
  assert.doesNotMatch(help, /queue/);
});
