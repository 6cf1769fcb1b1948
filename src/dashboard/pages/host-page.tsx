/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What stops or hurts delivery from this host: the doctor's findings, the worst first, and the domains of all accounts
 * that cannot send.
 */
import type { Domain } from "../../spool/port/domains.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Empty, PostForm } from "../views/components.tsx";
import { FINDING_WORDS } from "../views/host-summary.tsx";
import { signedInPage } from "../views/layout.tsx";
import type { Finding, HostState } from "../web/parts.ts";
import { DomainsInTrouble, troubleVersion } from "./troubled-domains.tsx";

const ORDER: readonly Finding["state"][] = ["problem", "warning", "unclear", "ok"];

export interface HostPageState {
  host: HostState;
  hostname: string;
  /** Of all accounts. */
  domains: Domain[];
  nowMs: number;
}

/** Changes with what the page shows. */
export const hostVersion = ({ host, domains }: HostPageState): string =>
  `${host.examinedAtMs} ${host.examining} ${troubleVersion(domains)}`;

export function hostPage(visit: Visit, state: HostPageState): string {
  const { findings, examinedAtMs, examining } = state.host;
  const sorted = findings?.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)) ?? null;
  return signedInPage(visit, "/operator/host", {
    title: "Host",
    children: (
      <>
        <h1>Host</h1>
        <p class="lead">
          <code>{state.hostname}</code>, as the doctor finds it.
        </p>
        <div data-live="/dashboard/operator/host/state" data-version={hostVersion(state)} id="findings">
          <div class="bar">
            <PostForm action="/dashboard/operator/host" formToken={visit.formToken}>
              <button type="submit" disabled={examining}>
                {examining ? "Being examined …" : "Examine again"}
              </button>
            </PostForm>
            {examinedAtMs === null ? null : (
              <p class="quiet">
                Examined <Ago atMs={examinedAtMs} nowMs={state.nowMs} />.
              </p>
            )}
          </div>
          {sorted === null ? (
            <Empty title="Being examined">
              <p>
                This takes a few seconds. The page shows the findings as soon as they are there; else load it again.
              </p>
            </Empty>
          ) : (
            <ul class="findings">
              {sorted.map((finding) => (
                <li key={finding.check} class="card">
                  <p class="finding-head">
                    <strong>{finding.check}</strong> <Badge word={FINDING_WORDS[finding.state]} />
                  </p>
                  <p>{finding.detail}</p>
                </li>
              ))}
            </ul>
          )}
          <DomainsInTrouble domains={state.domains} visit={visit} />
        </div>
      </>
    ),
  });
}
