/** Assigns stack frames to the stages of a message, by the path of their file. */

export type Stage =
  | "HTTP"
  | "validation"
  | "composing"
  | "spool"
  | "signing"
  | "SMTP"
  | "routing"
  | "settling"
  | "log"
  | "between threads"
  | "sockets and streams"
  | "loading of modules"
  | "garbage collection"
  | "native code"
  | "idle"
  | "rest of node";

/** The first entry that matches the file's URL. */
const FILES: readonly (readonly [RegExp, Stage])[] = [
  [/\/src\/message\/(submission|address|suppression)|node_modules\/(ajv|tldts|fast-uri|fast-deep-equal)/, "validation"],
  [/\/src\/message\/(compose|ids)|node_modules\/nodemailer/, "composing"],
  [/\/src\/message\/dkim|\/src\/delivery\/signer|node_modules\/(dkim-signer|mailauth)/, "signing"],
  [/\/src\/http\/|node_modules\/@?koa|node:_http/, "HTTP"],
  [/\/src\/spool\/|node_modules\/better-sqlite3/, "spool"],
  [/\/src\/delivery\/smtp\//, "SMTP"],
  [/\/src\/delivery\/(courier|attempt|settlement|verdict)|\/src\/message\/(outcome|reasons|retry)/, "settling"],
  [/\/src\/(dns|delivery)\/|node:internal\/dns|node:dns/, "routing"],
  [/\/src\/log|node_modules\/(pino|sonic-boom|quick-format-unescaped|safe-stable-stringify|@pinojs)/, "log"],
];

/** Stages of stacks without a frame of the project. */
const RUNTIME: readonly (readonly [RegExp, Stage])[] = [
  [/node:internal\/(worker|per_context\/messageport)|node:worker_threads/, "between threads"],
  [/node:(net|tls|_tls|_stream|internal\/(stream|js_stream|net)|stream|events)/, "sockets and streams"],
  [/node:internal\/modules|node_modules\/(tsx|esbuild)/, "loading of modules"],
  // All other libraries serve HTTP.
  [/node_modules/, "HTTP"],
];

const ENGINE: ReadonlyMap<string, Stage> = new Map([
  ["(garbage collector)", "garbage collection"],
  ["(program)", "native code"],
  ["(idle)", "idle"],
]);

const match = (rules: readonly (readonly [RegExp, Stage])[], url: string): Stage | undefined =>
  rules.find(([files]) => files.test(url))?.[1];

export interface Frame {
  functionName: string;
  url: string;
}

/** Returns the stage of a stack, innermost frame first: that of the innermost frame whose file has one. */
export function stageOf(stack: readonly Frame[]): Stage {
  const [self] = stack;
  const engine = ENGINE.get(self?.functionName ?? "");
  if (engine !== undefined) return engine;
  for (const { url } of stack) {
    const stage = match(FILES, url);
    if (stage !== undefined) return stage;
  }
  for (const { functionName, url } of stack) {
    const stage = functionName === "postMessage" ? "between threads" : match(RUNTIME, url);
    if (stage !== undefined) return stage;
  }
  return "rest of node";
}
