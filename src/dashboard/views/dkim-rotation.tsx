/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A domain's DKIM key, and the pending key of a rotation.
 */
import type { Domain, Rotation } from "../../spool/port/domains.ts";
import type { AuthContext } from "../auth/sessions.ts";
import type { DashboardParts } from "../web/parts.ts";
import { Badge, PostForm, RelativeTime } from "./components.tsx";

export interface RotationViewProps {
  auth: AuthContext;
  domain: Domain;
  /** The pending key; null without a rotation. */
  rotation: Rotation | null;
  parts: DashboardParts;
}

export function RotationView({ auth, domain, rotation, parts }: RotationViewProps) {
  const nowMs = parts.clock.now();
  const action = `/dashboard/domains/${domain.name}/rotate`;
  if (rotation === null) {
    return (
      <section id="rotation" data-live-part>
        <h2>DKIM key</h2>
        <p>
          Messages are signed with the selector <code>{domain.selector}</code>. A new key gets its own selector and is
          used as soon as its record is published.
        </p>
        <PostForm action={action} formToken={auth.formToken}>
          <button type="submit" class="small">
            Create a new key
          </button>
        </PostForm>
      </section>
    );
  }
  return (
    <section id="rotation" data-live-part>
      <h2>DKIM key</h2>
      <p>
        <Badge label={{ text: "New key: waiting for its record", tone: "wait" }} />
      </p>
      <p>
        Messages are still signed with <code>{domain.selector}</code>. Publish the record{" "}
        <a href="#check-dkim-new">DKIM, new key</a> next to the current one, then verify the domain. From then on,
        messages are signed with <code>{rotation.selector}</code>. Keep the old record for another week, for messages
        that are still in transit. Created <RelativeTime atMs={rotation.startedAtMs} nowMs={nowMs} />.
      </p>
      <PostForm action={`${action}/cancel`} formToken={auth.formToken}>
        <button type="submit" class="small">
          Discard the new key
        </button>
      </PostForm>
    </section>
  );
}
