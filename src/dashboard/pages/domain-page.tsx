/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one domain: the table of its records with their checks, the return path, the DKIM key, and the history.
 */
import { nameIn, zoneOf } from "../../domains/record-fields.ts";
import { CHECK_NAMES, type CheckChange, type Domain, RETURN_PATH_CHECK_NAMES } from "../../spool/port/domains.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, ConfirmButtons, CopyFrom, PostForm, RelativeTime, Table, Timestamp } from "../views/components.tsx";
import { RotationView } from "../views/dkim-rotation.tsx";
import { DomainNotices, type RecentChanges } from "../views/domain-notices.tsx";
import { CHECK_STATE_LABELS, CHECK_TITLES, domainLabel } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { shortened } from "../views/long-words.ts";
import { Allowed } from "../views/permissions.tsx";
import { type PublishingState, recordsOf } from "../views/published-records.ts";
import { RecordTable } from "../views/record-table.tsx";
import { ReturnPathView } from "../views/return-path.tsx";
import type { DashboardParts } from "../web/parts.ts";

export interface DomainState extends PublishingState {
  parts: DashboardParts;
  history: CheckChange[];
  changes: RecentChanges;
}

/** Changes whenever the page does, except for its relative times. */
export function domainVersion({ domain, rotation, returnPath }: PublishingState): string {
  const { verified, nextCheckAtMs, checks } = domain;
  const ofPath = returnPath === null ? [] : RETURN_PATH_CHECK_NAMES.map((name) => returnPath.checks[name]);
  const states = [...CHECK_NAMES.map((name) => checks[name]), ...ofPath].map(
    ({ state, checkedAtMs }) => `${state}${checkedAtMs}`,
  );
  return [verified, nextCheckAtMs, rotation?.selector, returnPath?.active, ...states].join(" ");
}

export function domainPage(auth: AuthContext, state: DomainState): string {
  const { domain, parts, rotation, returnPath } = state;
  const nowMs = parts.clock.now();
  return signedInPage(auth, "/domains/one", {
    title: domain.name,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/domains">Domains</a>
        </p>
        <div class="title-row" id="title" data-live-part>
          <h1>{domain.name}</h1>
          <Badge label={domainLabel(domain)} />
        </div>
        <DomainNotices domain={domain} changes={state.changes} />
        <VerifyBar auth={auth} domain={domain} nowMs={nowMs} />
        <div class="title-row">
          <h2>Records to publish</h2>
          <ZoneFile domain={domain} />
        </div>
        <div
          class="checks"
          id="checks"
          data-live={`/dashboard/domains/${domain.name}/state`}
          data-version={domainVersion(state)}
        >
          <RecordTable records={recordsOf(state, parts.domains)} zone={zoneOf(domain.name)} nowMs={nowMs} />
        </div>
        <ZoneHint domain={domain} />
        <div class="card settings">
          <ReturnPathView auth={auth} domain={domain} path={returnPath} parts={parts} />
          <RotationView auth={auth} domain={domain} rotation={rotation} parts={parts} />
          <section>
            <h2>Reports</h2>
            <p>What receivers report about messages from {domain.name}, by DMARC and TLS reports.</p>
            <a class="button small" href={`/dashboard/domains/${domain.name}/reports`}>
              Reports on {domain.name}
            </a>
          </section>
          <Allowed to={`POST /dashboard/domains/${domain.name}/remove`}>
            <section>
              <h2>Remove</h2>
              <p>Messages from a removed domain are rejected.</p>
              <a class="button small danger" href={`/dashboard/domains/${domain.name}/remove`}>
                Remove {domain.name} …
              </a>
            </section>
          </Allowed>
        </div>
        <History history={state.history} />
      </>
    ),
  });
}

function VerifyBar({ auth, domain, nowMs }: { auth: AuthContext; domain: Domain; nowMs: number }) {
  return (
    <div class="bar" id="verify" data-live-part>
      <PostForm action={`/dashboard/domains/${domain.name}/verify`} formToken={auth.formToken}>
        <button type="submit" class="primary">
          Verify now
        </button>
      </PostForm>
      <p class="quiet">
        Checked automatically.{" "}
        {domain.nextCheckAtMs <= nowMs ? (
          "The next check is due now."
        ) : (
          <>
            Next check <RelativeTime atMs={domain.nextCheckAtMs} nowMs={nowMs} />.
          </>
        )}
      </p>
    </div>
  );
}

/** Explains the column with the names in the zone; folded once all is published. */
function ZoneHint({ domain: { name, checks } }: { domain: Domain }) {
  const zone = zoneOf(name);
  const isComplete = CHECK_NAMES.every((check) => checks[check].state === "verified");
  return (
    <details class="hint" open={!isComplete}>
      <summary>Which name to enter at a DNS provider</summary>
      <p>
        Most DNS panels ask for a name without its zone, and add the zone themselves: copy the name in{" "}
        <code>{zone}</code>, the registered domain by the public suffix list. <code>@</code> stands for the zone itself.
        If yours asks for full names, copy those.
      </p>
      {name === zone ? null : (
        <p>
          If <code>{name}</code> is a separate zone at your DNS provider, also leave out{" "}
          <code>.{nameIn(name, zone)}</code> at the end of each name; <code>@</code> then stands for {name}.
        </p>
      )}
    </details>
  );
}

function ZoneFile({ domain: { name } }: { domain: Domain }) {
  const path = `/dashboard/domains/${name}/zone`;
  return (
    <p class="bar">
      <a class="button small" href={path} download={`${name}.zone`}>
        Download as a zone file
      </a>
      <CopyFrom path={path} text="Copy all as zone file lines" />
    </p>
  );
}

function History({ history }: { history: CheckChange[] }) {
  if (history.length === 0) return null;
  return (
    <details>
      <summary>History of the checks</summary>
      <Table label="History of the checks" class="stacked" head={["Time", "Check", "New state", "Reason"]}>
        {history.map((change) => (
          <tr key={`${change.atMs} ${change.check}`}>
            <td class="nowrap">
              <Timestamp atMs={change.atMs} />
            </td>
            <td>{CHECK_TITLES[change.check]}</td>
            <td data-label="New state">
              <Badge label={CHECK_STATE_LABELS[change.state]} />
            </td>
            <td class="wide-cell">{shortened(change.detail)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

export function removeDomainPage(auth: AuthContext, domain: Domain): string {
  return signedInPage(auth, "/domains/one", {
    title: `Remove ${domain.name}`,
    children: (
      <>
        <h1>Remove {domain.name}?</h1>
        <p>
          From then on, messages from {domain.name} are rejected. Messages accepted before are still signed and
          delivered: keep the DKIM record published for a few days.
        </p>
        <PostForm action={`/dashboard/domains/${domain.name}/remove`} formToken={auth.formToken}>
          <ConfirmButtons text={`Remove ${domain.name}`} back={`/dashboard/domains/${domain.name}`} />
        </PostForm>
      </>
    ),
  });
}
