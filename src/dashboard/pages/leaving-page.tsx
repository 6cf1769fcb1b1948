/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page that leads to the identity provider. The response to a form does not redirect there: the Content-Security-Policy lets forms lead
 * only to the dashboard, and browsers apply it to redirects too.
 */
import type { Context } from "koa";
import { signedOutPage } from "../views/layout.tsx";

export interface Leaving {
  /** The name of the provider. */
  name: string;
  url: string;
  /** What happens there. */
  title: string;
}

export function leavingPage(ctx: Context, { name, url, title }: Leaving): string {
  ctx.set("Refresh", `0; url=${url}`);
  return signedOutPage({
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>
          You go on at <strong>{name}</strong>.
        </p>
        <p>
          <a class="button primary wide" href={url}>
            Continue to {name}
          </a>
        </p>
      </>
    ),
  });
}
