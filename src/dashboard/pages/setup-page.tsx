/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The first start: whoever can read the service's log gets a link that makes the first user, an operator, once. The
 * link lives in memory: another start makes another one.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import type { Credentials } from "../auth/credentials.ts";
import { beginSession } from "../auth/sessions.ts";
import { Field, Notice } from "../views/components.tsx";
import { openPage } from "../views/layout.tsx";
import { newUserFault, PasswordField } from "../views/new-user-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

const TOKEN_BYTES = 24;

export interface Setup {
  pages: Record<string, (ctx: Context) => Promise<unknown>>;
  url(): Promise<string | null>;
}

export function createSetup(parts: DashboardParts, credentials: Credentials): Setup {
  const { registry, people, clock, publicUrl } = parts;
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  let used = false;

  async function requireToken(ctx: Context): Promise<void> {
    const fits = timingSafeEqual(sha256(ctx.params.token ?? ""), sha256(token));
    if (!fits || used || (await registry.hasUsers())) throw notFound();
  }

  return {
    url: async () => ((await registry.hasUsers()) ? null : `${publicUrl}/dashboard/setup/${token}`),
    pages: {
      "GET /setup/:token": async (ctx) => {
        await requireToken(ctx);
        return setupPage(ctx.path, { email: "" });
      },

      "POST /setup/:token": async (ctx) => {
        await requireToken(ctx);
        const email = field(ctx, "email");
        const fault = newUserFault(email, rawField(ctx, "password"));
        if (fault !== null) {
          ctx.status = 400;
          return setupPage(ctx.path, { email, error: fault });
        }
        // Before anything is awaited: the link makes one user, however often it is sent at one moment.
        used = true;
        try {
          const account = await registry.accountNamed("default");
          if (account === null) throw new Error("the spool has no default account");
          const passwordHash = await credentials.hash(rawField(ctx, "password"), "setup");
          const createdAtMs = clock.now();
          const { usersMax } = parts.limits;
          await registry.createUser({
            email,
            accountId: account.id,
            passwordHash,
            operator: true,
            createdAtMs,
            usersMax,
          });
        } catch (error) {
          used = false;
          throw error;
        }
        const user = await people.userNamed(email);
        if (user === null) throw new Error("the first user was made and is not there");
        await beginSession(ctx, parts, user);
        ctx.redirect("/dashboard/start");
      },
    },
  };
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

function setupPage(action: string, { email, error }: { email: string; error?: string }): string {
  return openPage({
    title: "Set up Postrider",
    children: (
      <>
        <h1>Welcome</h1>
        <p>Create the first user. It operates this installation: it sees everything and can add accounts and users.</p>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <form method="post" action={action}>
          <Field label="Email" name="email" type="email" value={email} required autoComplete="username" autoFocus />
          <PasswordField />
          <button type="submit" class="primary wide">
            Create user and go on
          </button>
        </form>
      </>
    ),
  });
}
