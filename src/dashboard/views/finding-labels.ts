/** How the doctor's findings are marked. */
import type { Finding } from "../../doctor/finding.ts";
import type { Label } from "./labels.ts";

export const FINDING_LABELS: Readonly<Record<Finding["state"], Label>> = {
  ok: { text: "OK", tone: "good" },
  warning: { text: "Warning", tone: "warn" },
  problem: { text: "Problem", tone: "bad" },
  unclear: { text: "Unclear", tone: "quiet" },
};
