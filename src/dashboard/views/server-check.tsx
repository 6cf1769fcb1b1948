/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Whether this server can send, for newcomers: operators see each problem with its fix, other users see what it means for them.
 */
import type { HostState } from "../../app/installation/host-watch.ts";
import { type Finding, reasonsNotToDeliver } from "../../doctor/checks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, PostForm, RelativeTime, ReloadLink } from "./components.tsx";
import { FINDING_LABELS } from "./finding-labels.ts";
import { findingText } from "./finding-texts.ts";
import { type Label, plural } from "./labels.ts";
import { LinkedText } from "./linked-text.tsx";

export interface ServerCheckProps {
  auth: AuthContext;
  host: HostState;
  /** Why nothing is accepted now; null if messages are accepted. */
  unavailableReason: string | null;
  nowMs: number;
}

/** Changes whenever the check's text does, except for its relative times. */
export const serverCheckVersion = ({ host, unavailableReason }: Pick<ServerCheckProps, "host" | "unavailableReason">) =>
  `${host.examinedAtMs} ${host.examining} ${unavailableReason}`;

const inState = (findings: Finding[], ...states: Finding["state"][]): Finding[] =>
  findings.filter(({ state }) => states.includes(state));

/** The state of the step; null if there is nothing to do. */
export function serverCheckLabel({
  auth,
  host: { findings },
  unavailableReason,
}: Omit<ServerCheckProps, "nowMs">): Label | null {
  if (unavailableReason !== null) return { text: "Not accepting messages", tone: "bad" };
  if (findings === null) return { text: "Checks running", tone: "quiet" };
  const problems = inState(findings, "problem").length;
  if (problems > 0) {
    return { text: auth.user.operator ? plural(problems, "problem") : "Delivery is impaired", tone: "bad" };
  }
  const warnings = inState(findings, "warning").length;
  if (warnings > 0 && auth.user.operator) return { text: `Can send, ${plural(warnings, "warning")}`, tone: "warn" };
  return null;
}

export function ServerCheck(props: ServerCheckProps) {
  return props.auth.user.operator ? <ForOperators {...props} /> : <ForUsers {...props} />;
}

function ForUsers({ host: { findings }, unavailableReason }: ServerCheckProps) {
  if (unavailableReason !== null) {
    return (
      <p>This server accepts no messages at the moment. Ask its operator when it will. The next steps are possible.</p>
    );
  }
  if (findings === null) return <Running />;
  if (reasonsNotToDeliver(findings).length > 0) {
    return (
      <p>
        This server accepts messages, but cannot deliver them at the moment. They wait, and are delivered as soon as its
        operator has fixed that. The next steps are possible meanwhile.
      </p>
    );
  }
  if (inState(findings, "problem").length > 0) {
    return (
      <p>
        This server can send, but its operator has a problem to fix: until then, some recipients' servers may reject
        your messages. The next steps are possible meanwhile.
      </p>
    );
  }
  return <p>This server is ready to deliver your messages.</p>;
}

function ForOperators({ auth, host, unavailableReason, nowMs }: ServerCheckProps) {
  const { findings, examining, examinedAtMs } = host;
  return (
    <>
      {unavailableReason === null ? null : (
        <p>
          <strong>Postrider accepts no messages:</strong> {unavailableReason}
        </p>
      )}
      {findings === null ? <Running /> : <Findings findings={findings} />}
      <div class="bar">
        <RunChecks auth={auth} examining={examining} from="start" />
        <a href="/dashboard/operator/host">All findings</a>
        {examinedAtMs === null ? null : (
          <p class="quiet">
            Last checked <RelativeTime atMs={examinedAtMs} nowMs={nowMs} />.
          </p>
        )}
      </div>
    </>
  );
}

function Findings({ findings }: { findings: Finding[] }) {
  const urgent = [...inState(findings, "problem"), ...inState(findings, "warning")];
  const passed = inState(findings, "ok");
  const unclear = inState(findings, "unclear");
  return (
    <>
      <p>{verdictOn(findings)}</p>
      {urgent.length === 0 ? null : (
        <ul class="server-findings">
          {urgent.map((finding) => (
            <ServerFinding key={finding.check} finding={finding} />
          ))}
        </ul>
      )}
      <details>
        <summary>
          {plural(passed.length, "check")} passed{unclear.length === 0 ? "" : `, ${unclear.length} unclear`}
        </summary>
        <ul class="server-findings">
          {[...unclear, ...passed].map((finding) => (
            <ServerFinding key={finding.check} finding={finding} />
          ))}
        </ul>
      </details>
    </>
  );
}

function verdictOn(findings: Finding[]): string {
  const problems = inState(findings, "problem").length;
  if (reasonsNotToDeliver(findings).length > 0) {
    return "This server cannot deliver messages yet. Accepted messages wait until you have fixed the cause. The next steps are possible meanwhile.";
  }
  if (findings.some(({ check, state }) => check === "outbound_smtp" && state === "unclear")) {
    return "It is not known whether this server can send: the check of port 25 had no result. The next steps are possible meanwhile.";
  }
  if (problems > 0) {
    return "This server can send, but recipients' servers may reject its messages until you have fixed this. The next steps are possible meanwhile.";
  }
  if (inState(findings, "warning").length > 0) {
    return "This server can send. These warnings do not stop it, but are worth fixing.";
  }
  return "This server can send: its connections, its names and its storage are in order.";
}

function ServerFinding({ finding }: { finding: Finding }) {
  const { title, why } = findingText(finding);
  return (
    <li class={finding.state}>
      <p class="finding-head">
        <strong>{title}</strong> <Badge label={FINDING_LABELS[finding.state]} />
      </p>
      <p class="quiet">{why}</p>
      <p>
        <LinkedText text={finding.detail} />
      </p>
    </li>
  );
}

function Running() {
  return (
    <p>
      The checks are running, which takes a few seconds. <ReloadLink path="/dashboard/start" />
    </p>
  );
}

const PATHS = { start: "/dashboard/start", host: "/dashboard/operator/host" };

/** The button that runs the doctor's checks; it returns to Get started or to the host page. */
export function RunChecks({
  auth,
  examining,
  from,
}: {
  auth: AuthContext;
  examining: boolean;
  from: keyof typeof PATHS;
}) {
  if (examining) {
    return (
      <p class="quiet">
        Checks running … <ReloadLink path={PATHS[from]} />
      </p>
    );
  }
  return (
    <PostForm action="/dashboard/operator/host" formToken={auth.formToken}>
      <input type="hidden" name="from" value={from} />
      <button type="submit">Run checks</button>
    </PostForm>
  );
}
