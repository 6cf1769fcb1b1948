/**
 * The public page with contact data at the host's name, outside /dashboard. T-Online opens an address to mail only once its host's name
 * has such a page.
 */
import type Koa from "koa";
import type { Logger } from "../lib/log.ts";
import { contactPage } from "./pages/contact-page.tsx";
import { createStaticPage } from "./static-page.ts";

export interface ContactParts {
  hostname: string;
  /** Plain text of some lines (CONTACT_PAGE_FILE). */
  text: string;
  log: Logger;
}

export const createContact = ({ hostname, text, log }: ContactParts): Koa =>
  createStaticPage(contactPage({ hostname, text }), log);
