/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The readiness of this host: in short for everybody, finding by finding for operators.
 */

import type { Visit } from "../auth/sessions.ts";
import type { Finding, HostState } from "../web/parts.ts";
import { Badge } from "./components.tsx";
import { plural, type Word } from "./labels.ts";

export const FINDING_WORDS: Readonly<Record<Finding["state"], Word>> = {
  ok: { text: "OK", tone: "good" },
  warning: { text: "Warning", tone: "warn" },
  problem: { text: "Problem", tone: "bad" },
  unclear: { text: "Unclear", tone: "quiet" },
};

function summaryOf({ findings }: HostState): Word {
  if (findings === null) return { text: "Being examined", tone: "wait" };
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  if (count("problem") > 0) return { text: plural(count("problem"), "problem"), tone: "bad" };
  if (count("warning") > 0) return { text: plural(count("warning"), "warning"), tone: "warn" };
  if (count("unclear") > 0) return { text: "Not all could be told", tone: "quiet" };
  return { text: "Ready", tone: "good" };
}

export function HostSummary({ visit, host, refusal }: { visit: Visit; host: HostState; refusal: string | null }) {
  const wrong = (host.findings ?? []).filter(({ state }) => state === "problem" || state === "warning");
  return (
    <section class="card" aria-labelledby="host-title">
      <h2 id="host-title">{visit.user.operator ? <a href="/dashboard/operator/host">This host</a> : "This host"}</h2>
      <p class="badges">
        <Badge
          word={refusal === null ? { text: "Accepts mail", tone: "good" } : { text: "Accepts nothing", tone: "bad" }}
        />
        <Badge word={summaryOf(host)} />
      </p>
      {refusal === null ? null : <p>{refusal}</p>}
      {visit.user.operator ? (
        <ul class="plain-list">
          {wrong.map((finding) => (
            <li key={finding.check}>
              <Badge word={FINDING_WORDS[finding.state]} /> <strong>{finding.check}</strong> {finding.detail}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
