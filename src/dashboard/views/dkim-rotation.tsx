/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * A domain's DKIM key, and the one that waits to take over from it.
 */
import type { Domain, Rotation } from "../../spool/port/domains.ts";
import type { Visit } from "../auth/sessions.ts";
import type { DashboardParts } from "../web/parts.ts";
import { Ago, Badge, PostForm } from "./components.tsx";
import { RecordRows } from "./dns-record.tsx";

export interface RotationViewProps {
  visit: Visit;
  domain: Domain;
  /** The key that waits to take over. */
  rotation: Rotation | null;
  parts: DashboardParts;
}

export function RotationView({ visit, domain, rotation, parts }: RotationViewProps) {
  const nowMs = parts.clock.now();
  const action = `/dashboard/domains/${domain.name}/rotate`;
  if (rotation === null) {
    return (
      <section class="card" id="rotation" data-live-part>
        <h2>DKIM key</h2>
        <p>
          Selector <code>{domain.selector}</code> signs. A new key gets a selector of its own, and takes over once its
          record is seen.
        </p>
        <PostForm action={action} formToken={visit.formToken}>
          <button type="submit">Make a new key</button>
        </PostForm>
      </section>
    );
  }
  return (
    <section class="card" id="rotation" data-live-part>
      <h2>DKIM key</h2>
      <p>
        <Badge word={{ text: "New key waits for its record", tone: "wait" }} />
      </p>
      <p>
        <code>{domain.selector}</code> still signs. Publish this record beside the present one, then verify:{" "}
        <code>{rotation.selector}</code> takes over when it is seen. Leave the former record for a week after that, for
        mail that is still on its way. Made <Ago atMs={rotation.startedAtMs} nowMs={nowMs} />.
      </p>
      <RecordRows record={parts.domains.rotationRecord(domain, rotation)} />
      <PostForm action={`${action}/cancel`} formToken={visit.formToken}>
        <button type="submit">Drop the new key</button>
      </PostForm>
    </section>
  );
}
