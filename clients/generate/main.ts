/** `npm run clients`: writes the generated files of the clients. */
import { writeFileSync } from "node:fs";
import { generatedClients } from "./outputs.ts";

for (const [path, text] of generatedClients()) writeFileSync(new URL(`../../${path}`, import.meta.url), text);
