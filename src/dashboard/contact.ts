/**
 * The public page with contact data at the host's name, outside /dashboard. T-Online opens an address to mail only once its host's name
 * has such a page.
 */
import Koa from "koa";
import type { Logger } from "../lib/log.ts";
import { logRequest, PUBLIC_POLICY, setSecurityHeaders } from "./middleware.ts";
import { contactPage } from "./pages/contact-page.tsx";

export interface ContactParts {
  hostname: string;
  /** Plain text of some lines (CONTACT_PAGE_FILE). */
  text: string;
  log: Logger;
}

/** Creates the application that answers every path with the page. It does not listen. */
export function createContact({ hostname, text, log }: ContactParts): Koa {
  const page = contactPage({ hostname, text });
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
