/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A domain's return path: what it is for, and whether it is used. Its records are in the table of records.
 */
import { bouncesDomain, fitsReturnPath } from "../../message/return-path.ts";
import { type Domain, isWarned, RETURN_PATH_CHECK_NAMES } from "../../spool/port/domains.ts";
import type { ReturnPath } from "../../spool/port/return-paths.ts";
import type { AuthContext } from "../auth/sessions.ts";
import type { DashboardParts } from "../web/parts.ts";
import { Badge, Notice, PostForm } from "./components.tsx";
import type { Label } from "./labels.ts";

export interface ReturnPathViewProps {
  auth: AuthContext;
  domain: Domain;
  /** Null if it is off. */
  path: ReturnPath | null;
  parts: DashboardParts;
}

export function ReturnPathView(props: ReturnPathViewProps) {
  const { path } = props;
  return (
    <section id="return-path" data-live-part aria-labelledby="return-path-title">
      <h2 id="return-path-title">
        Return path <Badge label={returnPathLabel(path)} />
      </h2>
      <div>
        <Purpose {...props} />
      </div>
      <Switch {...props} />
    </section>
  );
}

function returnPathLabel(path: ReturnPath | null): Label {
  if (path === null) return { text: "Off", tone: "quiet" };
  const checks = RETURN_PATH_CHECK_NAMES.map((name) => path.checks[name]);
  const failing = checks.filter(({ state }) => state === "failed").length;
  if (!path.active) return { text: "Waiting for its records", tone: failing > 0 ? "warn" : "wait" };
  if (failing > 0) return { text: "Active, a check fails", tone: "warn" };
  return checks.some(isWarned) ? { text: "Active, with a warning", tone: "warn" } : { text: "Active", tone: "good" };
}

function Purpose({ domain, path, parts }: ReturnPathViewProps) {
  const at = bouncesDomain(domain.name);
  const warning = parts.domains.inboundWarning;
  return (
    <>
      <p>
        Bounces that arrive later, complaints and reports are sent to <code>{at}</code>, and Postrider shows them at the
        message. The domain can send without it.
      </p>
      {path === null || path.active ? null : (
        <p>
          Publish its two records in the <a href="#check-return_path_mx">table of records</a>. Until both are verified,
          bounces are sent to the <code>From</code> address of the message.
        </p>
      )}
      {path === null || warning === null ? null : <Notice tone="warn">{warning}</Notice>}
    </>
  );
}

function Switch({ auth, domain, path }: ReturnPathViewProps) {
  if (path === null && !fitsReturnPath(domain.name)) {
    return <p>The name of this domain is too long for a return path.</p>;
  }
  const action = `/dashboard/domains/${domain.name}/return-path`;
  return (
    <PostForm action={action} formToken={auth.formToken}>
      <input type="hidden" name="state" value={path === null ? "on" : "off"} />
      <button type="submit" class="small">
        {path === null ? "Turn on the return path" : "Turn off the return path"}
      </button>
    </PostForm>
  );
}
