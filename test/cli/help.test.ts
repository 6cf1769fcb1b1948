/** The text of the help. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Command } from "../../src/cli/command.ts";
import { helpJson, helpText } from "../../src/cli/help.ts";

const load = async () => ({ run: async () => ({ json: null, text: "" }) });
const list: Command = {
  usage: "queue list",
  summary: "what waits",
  options: {
    domain: { type: "string", usage: "[--domain NAME]", summary: "only this domain" },
    result: { type: "string", usage: "[--result RESULT]", summary: "with this result", values: ["pending", "unknown"] },
    live: { type: "boolean", usage: "[--live]", summary: "no tests" },
  },
  examples: ["queue list --live"],
  load,
};
const retry: Command = {
  usage: "queue retry ID [RECIPIENT]",
  summary: "try again",
  irreversible: true,
  examples: ["queue retry msg_x"],
  load,
};
const doctor: Command = { usage: "doctor", summary: "look", examples: ["doctor"], load };
const backup: Command = { usage: "backup FILE", summary: "copy", examples: ["backup x"], load };
const COMMANDS = [list, retry, doctor, backup];

it("lists all commands without their options, in columns, with those of a noun apart", () => {
  const lines = helpText(COMMANDS, { type: "all" }).split("\n");
  assert.deepEqual(lines.slice(3, 8), [
    "  queue list                  what waits",
    "  queue retry ID [RECIPIENT]  try again",
    "",
    "  doctor                      look",
    "  backup FILE                 copy",
  ]);
});

it("shows the commands of a noun with options and examples", () => {
  const help = helpText(COMMANDS, { type: "noun", noun: "queue" });
  assert.match(help, /^ {2}queue retry ID \[RECIPIENT\] \[--yes\] {2}try again$/m);
  assert.match(help, /^Examples:\n {2}postrider queue list --live\n {2}postrider queue retry msg_x$/m);
  assert.doesNotMatch(help, /doctor/);
});

it("puts the summary of a long usage on the next line, in the same column", () => {
  const help = helpText(COMMANDS, { type: "noun", noun: "queue" });
  const [first, second, third] = help.split("\n").slice(3);
  assert.equal(first, "  queue list [--domain NAME] [--result RESULT] [--live]");
  assert.equal(second, `${" ".repeat(38)}what waits`);
  assert.equal(third, "  queue retry ID [RECIPIENT] [--yes]  try again");
});

it("shows everything about one command", () => {
  const lines = helpText(COMMANDS, { type: "command", command: list }).split("\n");
  assert.deepEqual(lines.slice(0, 10), [
    "usage: postrider queue list [--domain NAME] [--result RESULT] [--live]",
    "",
    "What waits.",
    "",
    "Options:",
    "  --domain NAME    only this domain",
    "  --result RESULT  with this result: pending, unknown",
    "  --live           no tests",
    "",
    "Examples:",
  ]);
  const asks = helpText(COMMANDS, { type: "command", command: retry });
  assert.match(asks, /^It cannot be undone: on a terminal it asks first, unless --yes is given\.$/m);
});

it("has all of it as JSON", () => {
  const { commands } = helpJson(COMMANDS, { type: "noun", noun: "queue" });
  assert.deepEqual(
    commands.map(({ name, irreversible, arguments: taken }) => [name, irreversible, taken.length]),
    [
      ["queue list", false, 0],
      ["queue retry", true, 2],
    ],
  );
  assert.deepEqual(commands[0]?.options[1], {
    name: "--result",
    type: "string",
    required: false,
    summary: "with this result",
    values: ["pending", "unknown"],
  });
});
