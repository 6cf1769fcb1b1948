/** A public page that is always the same, outside /dashboard. */
import Koa from "koa";
import type { Logger } from "../lib/log.ts";
import { logRequest, PUBLIC_POLICY, setSecurityHeaders } from "./middleware.ts";

/** Creates the application that answers every path with the page. It does not listen. */
export function createStaticPage(page: string, log: Logger): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(setSecurityHeaders({ policy: PUBLIC_POLICY, referrerPolicy: "no-referrer" }));
  app.use(logRequest({ log }));
  app.use((ctx) => {
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.set("Allow", "GET, HEAD");
      ctx.status = 405;
      return;
    }
    ctx.type = "html";
    ctx.body = page;
  });
  return app;
}
