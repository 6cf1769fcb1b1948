/** `mcp`: the server for agents. What it offers is in mcp/. */
import { serveTools } from "../mcp/serve.ts";
import type { Dialog } from "./command.ts";

export const mcp: Dialog = {
  converse: (streams, { options }) => serveTools(streams, { allowsWrites: options["allow-writes"] === true }),
};
