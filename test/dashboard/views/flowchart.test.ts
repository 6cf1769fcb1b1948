/** Flowcharts of documents as lists of arrows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowchartArrows } from "../../../src/dashboard/views/flowchart.tsx";

test("arrows have the texts of their nodes, whatever their form and place", () => {
  const source = `flowchart LR
  client([Your website]) -->|"POST /send"| validate
  subgraph http [HTTP]
    validate[validate] --> accept[accept] --> spool[(Spool)]
  end
  deliver <-->|SMTP| mx(["Recipient's server"])
  deliver -.-> spool-store["spool/store"]`;
  assert.deepEqual(
    flowchartArrows(source)?.map(({ from, to, text }) => [from, text, to]),
    [
      ["Your website", "POST /send", "validate"],
      ["validate", "", "accept"],
      ["accept", "", "Spool"],
      ["deliver", "SMTP", "Recipient's server"],
      ["deliver", "", "spool/store"],
    ],
  );
});

test("another diagram is none", () => {
  assert.equal(flowchartArrows("sequenceDiagram\n  a --> b"), null);
});
