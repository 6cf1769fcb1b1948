/** @jsxRuntime automatic @jsxImportSource preact */
/** Whether an account's messages may have status pages: the card on the pages of the account, and its form. */
import type { Context } from "koa";
import type { AuthContext } from "../auth/sessions.ts";
import { PostForm } from "../views/components.tsx";
import { Allowed } from "../views/permissions.tsx";
import { field } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";

export interface StatusPagesCardProps {
  auth: AuthContext;
  /** Of the account's page. */
  path: string;
  isOn: boolean;
}

export function StatusPagesCard({ auth, path, isOn }: StatusPagesCardProps) {
  return (
    <section class="card">
      <h2>Status pages</h2>
      <p>
        Status pages are <strong>{isOn ? "on" : "off"}</strong>.{" "}
        {isOn
          ? "Programs can request a link that shows a recipient what happened to one message."
          : "Requests for a link are rejected, and earlier links show nothing."}
      </p>
      <Allowed to={`POST ${path}/status-pages`}>
        <PostForm action={`${path}/status-pages`} formToken={auth.formToken} entry={{ enabled: isOn ? "no" : "yes" }}>
          <button type="submit">Turn {isOn ? "off" : "on"} status pages</button>
        </PostForm>
      </Allowed>
    </section>
  );
}

/** Stores the choice of the form. */
export const setStatusPages = (
  ctx: Context,
  { registry }: Pick<DashboardParts, "registry">,
  accountId: string,
): Promise<void> => registry.setStatusPages(accountId, field(ctx, "enabled") === "yes");

export const STATUS_PAGES_CHANGED = "Status pages changed.";
