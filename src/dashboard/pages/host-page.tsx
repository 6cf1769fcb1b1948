/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The host page: the doctor's findings, the most severe first, and the domains of all accounts that have problems.
 */
import type { HostState } from "../../app/installation/host-watch.ts";
import type { Finding } from "../../doctor/finding.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, RelativeTime } from "../views/components.tsx";
import { FINDING_LABELS } from "../views/finding-labels.ts";
import { findingText } from "../views/finding-texts.ts";
import { plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { LinkedText } from "../views/linked-text.tsx";
import { StateText } from "../views/list-rows.tsx";
import { RunChecks } from "../views/server-check.tsx";
import { ProblemDomains, problemDomainsVersion } from "./problem-domains.tsx";

const ORDER: readonly Finding["state"][] = ["problem", "warning", "unclear", "ok"];

export interface HostPageState {
  host: HostState;
  hostname: string;
  /** The domains of all accounts. */
  domains: Domain[];
  nowMs: number;
}

/** Changes whenever the page does, except for its relative times. */
export const hostVersion = ({ host, domains }: HostPageState): string =>
  `${host.examinedAtMs} ${host.examining} ${problemDomainsVersion(domains)}`;

export function hostPage(auth: AuthContext, state: HostPageState): string {
  const { findings, examinedAtMs, examining } = state.host;
  const sorted = findings?.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)) ?? null;
  return signedInPage(auth, "/operator/host", {
    title: "This server",
    children: (
      <>
        <h1>This server</h1>
        <p class="lead">
          The doctor checks <code>{state.hostname}</code> for problems that stop or impair delivery.
        </p>
        <div data-live="/dashboard/operator/host/state" data-version={hostVersion(state)} id="findings">
          <div class="bar">
            <RunChecks auth={auth} examining={examining} from="host" />
            {examinedAtMs === null ? null : (
              <p class="quiet">
                Last checked <RelativeTime atMs={examinedAtMs} nowMs={state.nowMs} />.
              </p>
            )}
          </div>
          {sorted === null ? (
            <EmptyState title="Checks running">
              <p>This takes a few seconds. The findings appear here.</p>
            </EmptyState>
          ) : (
            <>
              <FindingList findings={sorted.filter(({ state: each }) => each !== "ok")} />
              <PassedChecks findings={sorted.filter(({ state: each }) => each === "ok")} />
            </>
          )}
          <ProblemDomains domains={state.domains} auth={auth} />
        </div>
      </>
    ),
  });
}

function FindingList({ findings }: { findings: Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={finding.check} class="card">
          <p class="finding-head">
            <span>
              <strong>{findingText(finding).title}</strong> <code class="quiet">{finding.check}</code>
            </span>
            <StateText label={FINDING_LABELS[finding.state]} />
          </p>
          <p class="quiet">{findingText(finding).why}</p>
          <p>
            <LinkedText text={finding.detail} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** One line for the checks that found nothing wrong. */
function PassedChecks({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null;
  const titles = [...new Set(findings.map((finding) => findingText(finding).title))];
  return (
    <details class="card">
      <summary>
        {plural(findings.length, "check is", "checks are")} OK: {titles.join(", ")}
      </summary>
      <FindingList findings={findings} />
    </details>
  );
}
