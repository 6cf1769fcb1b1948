/** Today's contract against that of the last release, and what counts as a break. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { breaksBetween } from "../../ops/release/contract/breaks.ts";
import { formOf } from "../../ops/release/contract/command-outputs.ts";
import {
  type Contract,
  contractOfLastRelease,
  contractOfToday,
  settingsOf,
} from "../../ops/release/contract/contract.ts";

const majorOf = (version: string): string => version.split(".", 1)[0] ?? "";

test("nothing that the last release promises is broken, unless the major version is a new one", async () => {
  const [last, today] = [contractOfLastRelease(), await contractOfToday()];
  assert.ok(Object.keys(last.outputs).length > 20 && Object.keys(last.settings).length > 40);
  if (majorOf(last.version) === majorOf(today.version)) assert.deepEqual(breaksBetween(last, today), []);
});

describe("what breaks", () => {
  /** The contract of the last release after a change. */
  function breaksAfter(change: (contract: Contract) => void): string[] {
    const changed = contractOfLastRelease();
    change(changed);
    return breaksBetween(contractOfLastRelease(), changed);
  }
  // biome-ignore lint/suspicious/noExplicitAny: a document without types
  const http = (contract: Contract): any => contract.http;
  const SEND = "/api/sending/send";
  const sendSchema = (contract: Contract) => http(contract).components.schemas.SendTextRequest;

  it("nothing does, if nothing changes or something is added", () => {
    assert.deepEqual(
      breaksAfter((contract) => {
        http(contract).paths["/api/new"] = {};
        sendSchema(contract).properties.colour = { type: "string" };
        contract.settings.NEW_ONE = "none";
        contract.outputs["keys list"] = { ...contract.outputs["keys list"], "[].colour": ["string"] };
        contract.commands["paint it"] = { arguments: [], options: {} };
        contract.events = [...contract.events, "recipient.painted"];
        contract.schema.sqlite += 1;
      }),
      [],
    );
  });

  it("an operation, a field, or a status that is gone", () => {
    assert.deepEqual(
      breaksAfter((contract) => void delete http(contract).paths[SEND].post),
      [`POST ${SEND} is gone`],
    );
    assert.deepEqual(
      breaksAfter((contract) => void delete http(contract).paths[SEND].post.responses[202]),
      [`POST ${SEND}: no longer answers 202`],
    );
    const [gone] = breaksAfter((contract) => void delete sendSchema(contract).properties.subject);
    assert.match(gone ?? "", /subject is gone$/);
  });

  it("a request that must have more, or may have less", () => {
    const required = breaksAfter((contract) => void sendSchema(contract).required.push("reply_to"));
    assert.match(required[0] ?? "", /^POST .* body\(2\)\.reply_to is required now$/);
    const shorter = breaksAfter((contract) => {
      sendSchema(contract).properties.subject.maxLength = 10;
    });
    assert.match(shorter[0] ?? "", /body\(2\)\.subject: maxLength was \d+ and is 10$/);
    const other = breaksAfter((contract) => {
      sendSchema(contract).properties.subject.type = "number";
    });
    assert.match(other[0] ?? "", /body\(2\)\.subject: the type was .* and is "number"$/);
  });

  it("an event, a problem code, a setting and its default, a command and its option, the schema", () => {
    const cases: [(contract: Contract) => void, string][] = [
      [(contract) => (contract.events = contract.events.slice(1)), "event message.accepted is gone"],
      [(contract) => delete contract.problems.not_found, "problem code not_found is gone"],
      [(contract) => (contract.problems.not_found = 410), "problem code not_found: the status was 404 and is 410"],
      [(contract) => delete contract.settings.SINK, "setting SINK is gone"],
      [(contract) => (contract.settings.PORT = "`80`"), "setting PORT: the default was `8080` and is `80`"],
      [(contract) => delete contract.commands["keys list"], "command keys list is gone"],
      [
        (contract) => delete contract.commands["keys create"]?.options["--name"],
        "command keys create: option --name is gone",
      ],
      [
        (contract) => contract.commands.doctor?.arguments.push({ name: "HOST", required: true, values: null }),
        "command doctor: HOST is new and required",
      ],
      [(contract) => delete contract.outputs["keys create"]?.[".key"], "--json of keys create: .key is gone"],
      [
        (contract) => (contract.outputs["keys create"] = { ...contract.outputs["keys create"], ".key": ["number"] }),
        "--json of keys create: .key was string and is number",
      ],
      [(contract) => (contract.schema.sqlite = 1), "schema of sqlite: was "],
    ];
    for (const [change, line] of cases) {
      const breaks = breaksAfter((contract) => void change(contract));
      assert.equal(breaks.length, 1, line);
      assert.ok(breaks[0]?.startsWith(line), breaks[0]);
    }
  });
});

test("the form of an output has the types at each path", () => {
  assert.deepEqual(
    formOf([
      { id: "a", at: null },
      { id: "b", at: "c" },
    ]),
    {
      "": ["array"],
      "[]": ["object"],
      "[].id": ["string"],
      "[].at": ["null", "string"],
    },
  );
});

test("settings have the default in the same place of their row", () => {
  assert.deepEqual(settingsOf("| `A`, `B` | `1`, `2` | two |\n| `C`, `D` | none | none |\n| a | b | c |\n"), {
    A: "`1`",
    B: "`2`",
    C: "none",
    D: "none",
  });
});
