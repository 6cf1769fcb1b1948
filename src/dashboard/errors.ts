/** The public page that `type` of the API's problems leads to, outside /dashboard. */
import type Koa from "koa";
import type { Logger } from "../lib/log.ts";
import { errorsPage } from "./pages/errors-page.tsx";
import { createStaticPage } from "./static-page.ts";
import type { ShownProblem } from "./web/shown-problem.ts";

export const createErrors = (problems: readonly ShownProblem[], log: Logger): Koa =>
  createStaticPage(errorsPage(problems), log);
