/**
 * Test files that take long, by CPU time and with the processes that they start. They run with CI=true and if they are named, so that
 * `npm test` on a developer's machine ends within two minutes. What they prove in depth, other files prove in part.
 */
export const LONG_FILES: readonly string[] = [
  "app/wiring/spool.test.ts",
  "cli/master-key.test.ts",
  "dashboard/pages/operator-nodes.test.ts",
  "demo.test.ts",
  "docs/sending-from.test.ts",
  "e2e/attacks.test.ts",
  "e2e/bytes.test.ts",
  "e2e/cluster-sends.test.ts",
  "e2e/damage.test.ts",
  "e2e/feedback-forgeries.test.ts",
  "e2e/large-sends.test.ts",
  "e2e/openapi.test.ts",
  "e2e/outcomes-malformed.test.ts",
  "e2e/outcomes-rounds.test.ts",
  "e2e/slow-bodies.test.ts",
  "e2e/submission-attacks.test.ts",
  "e2e/submission-cut.test.ts",
  "e2e/submission-mime.test.ts",
  "main.database.test.ts",
  "message/draft.memory.test.ts",
  "spool/sqlite/content-parts.test.ts",
  "spool/sqlite/damage.pages.test.ts",
  "spool/sqlite/identity.test.ts",
  "upgrade/upgrade.test.ts",
];
