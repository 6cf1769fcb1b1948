/** Flowcharts of documents as lines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowchartLines } from "../../../src/dashboard/web/flowchart.ts";

test("lines have the texts of their nodes, whatever their form and place", () => {
  const source = `flowchart LR
  client([Your website]) -->|"POST /send"| validate
  subgraph http [HTTP]
    validate[validate] --> accept[accept] --> spool[(Spool)]
  end
  deliver <-->|SMTP| mx(["Recipient's server"])
  deliver -.-> spool-store["spool/store"]
  deliver --> settle`;
  assert.deepEqual(flowchartLines({ lang: "mermaid", text: source }), [
    "Your website → validate (POST /send)",
    "validate → accept",
    "accept → Spool",
    "deliver → Recipient's server (SMTP); spool/store; settle",
  ]);
});

test("other diagrams and other code are none", () => {
  assert.equal(flowchartLines({ lang: "mermaid", text: "sequenceDiagram\n  a --> b" }), null);
  assert.equal(flowchartLines({ lang: "sh", text: "flowchart LR\n  a --> b" }), null);
  assert.equal(flowchartLines({ text: "flowchart LR\n  a --> b" }), null);
});
