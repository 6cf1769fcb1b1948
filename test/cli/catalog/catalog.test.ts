/** The declarations of all commands: complete, consistent, and with something that runs each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommandLine } from "../../../src/cli/arguments.ts";
import { COMMANDS } from "../../../src/cli/catalog/catalog.ts";
import { COMMON_OPTIONS, isRequired, nameOf, nounOf, ownOptions, shapeOf } from "../../../src/cli/usage.ts";

describe("each command", () => {
  it("has a name of its own, and stands with the others of its noun", () => {
    const names = COMMANDS.map(nameOf);
    assert.deepEqual(names, [...new Set(names)]);
    const nouns = COMMANDS.map(nounOf);
    const changes = nouns.filter((noun, i) => noun !== nouns[i - 1]);
    assert.deepEqual(changes, [...new Set(changes)]);
  });

  it("has examples that are right usage, and show each required option", () => {
    for (const command of COMMANDS) {
      const { usage, examples } = command;
      assert.ok(examples.length > 0, usage);
      for (const example of examples) {
        const words = example.replace(/ [<>] \S+$/, "").match(/"[^"]*"|\S+/g) ?? [];
        const parsed = parseCommandLine(
          words.map((word) => word.replace(/^"|"$/g, "")),
          COMMANDS,
        );
        assert.ok(parsed.type === "command" && parsed.command === command, example);
        for (const [name, option] of Object.entries(ownOptions(command))) {
          if (isRequired(option)) assert.ok(name in parsed.args.options, `${example} --${name}`);
        }
      }
    }
  });

  it("has one line of summary without a period, and options whose usage names them", () => {
    for (const command of COMMANDS) {
      assert.match(command.summary, /^[a-z].*[^.]$/, command.usage);
      for (const [name, { usage, type, summary }] of Object.entries({ ...COMMON_OPTIONS, ...ownOptions(command) })) {
        const form = type === "boolean" ? `--${name}` : `--${name} [A-Za-z][^\\]]*`;
        assert.match(usage, new RegExp(`^(\\| )?(${form}|\\[${form}\\])$`), command.usage);
        assert.match(summary, /[^.]$/, `${command.usage} --${name}`);
      }
    }
  });

  it("has upper-case words or choices as arguments, the optional ones last", () => {
    for (const command of COMMANDS) {
      const { positionals } = shapeOf(command);
      for (const { name, choices } of positionals) assert.match(name, choices === null ? /^[A-Z]+$/ : /^[a-z|]+$/);
      const required = positionals.map(({ isRequired }) => isRequired);
      assert.deepEqual(
        required,
        required.toSorted((a, b) => Number(b) - Number(a)),
        command.usage,
      );
    }
  });

  it("takes an option of one name with or without a value, whatever the command", () => {
    const types = new Map<string, string>();
    for (const command of COMMANDS) {
      for (const [name, { type }] of Object.entries(ownOptions(command))) {
        assert.equal(types.get(name) ?? type, type, `${command.usage} --${name}`);
        types.set(name, type);
      }
    }
  });

  it("loads what runs it", async () => {
    for (const command of COMMANDS) {
      const loaded = await command.load();
      // test/cli.programs.test.ts starts both.
      if ("program" in loaded) continue;
      const runs =
        "describe" in loaded
          ? loaded.describe
          : "converse" in loaded
            ? loaded.converse
            : "runHere" in loaded
              ? loaded.runHere
              : loaded.run;
      assert.equal(typeof runs, "function", command.usage);
    }
  });
});
