/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The state of this host: a summary for all users, with the findings for operators.
 */
import type { HostState } from "../../app/installation/host-watch.ts";
import type { Finding } from "../../doctor/finding.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge } from "./components.tsx";
import { type Label, plural } from "./labels.ts";
import { LinkedText } from "./linked-text.tsx";

export const FINDING_LABELS: Readonly<Record<Finding["state"], Label>> = {
  ok: { text: "OK", tone: "good" },
  warning: { text: "Warning", tone: "warn" },
  problem: { text: "Problem", tone: "bad" },
  unclear: { text: "Unclear", tone: "quiet" },
};

function hostLabel({ findings }: HostState): Label {
  if (findings === null) return { text: "Checks running", tone: "wait" };
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  if (count("problem") > 0) return { text: plural(count("problem"), "problem"), tone: "bad" };
  if (count("warning") > 0) return { text: plural(count("warning"), "warning"), tone: "warn" };
  if (count("unclear") > 0) return { text: "Some checks are unclear", tone: "quiet" };
  return { text: "Ready", tone: "good" };
}

export function HostSummary({
  auth,
  host,
  unavailableReason,
}: {
  auth: AuthContext;
  host: HostState;
  unavailableReason: string | null;
}) {
  const problems = (host.findings ?? []).filter(({ state }) => state === "problem" || state === "warning");
  return (
    <section class="card" aria-labelledby="host-title">
      <h2 id="host-title">{auth.user.operator ? <a href="/dashboard/operator/host">This host</a> : "This host"}</h2>
      <p class="badges">
        <Badge
          label={
            unavailableReason === null
              ? { text: "Accepting messages", tone: "good" }
              : { text: "Not accepting messages", tone: "bad" }
          }
        />
        <Badge label={hostLabel(host)} />
      </p>
      {unavailableReason === null ? null : <p>{unavailableReason}</p>}
      {auth.user.operator ? (
        <ul class="plain-list">
          {problems.map((finding) => (
            <li key={finding.check}>
              <Badge label={FINDING_LABELS[finding.state]} /> <strong>{finding.check}</strong>{" "}
              <LinkedText text={finding.detail} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
