/**
 * Requests of the API as programs to paste: for each operation one in each language. Those of curl are in curl-commands.ts. All values
 * that come from users or the API document are quoted. The key comes from the environment, and is in no program.
 */
import { requestCommand } from "./curl-commands.ts";
import { type ExampleRequest, isJson, KEY_VARIABLE } from "./example-request.ts";

export const LANGUAGES = [
  { id: "curl", text: "curl" },
  { id: "node", text: "Node" },
  { id: "python", text: "Python" },
  { id: "php", text: "PHP" },
] as const;

type Body = NonNullable<ExampleRequest["body"]>;

export type Language = (typeof LANGUAGES)[number]["id"];

const WRITERS: Readonly<Record<Language, (request: ExampleRequest) => string>> = {
  curl: requestCommand,
  node: nodeProgram,
  python: pythonProgram,
  php: phpProgram,
};

/** Returns the request as a program of the language. */
export const requestExample = (language: Language, request: ExampleRequest): string => WRITERS[language](request);

function nodeProgram({ method, url, needsKey, body }: ExampleRequest): string {
  const headers = [
    ...(needsKey ? [`    Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,`] : []),
    ...(body === null ? [] : [`    "Content-Type": ${JSON.stringify(body.type)},`]),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers, "  },"]),
    ...(body === null ? [] : [`  body: ${indented(nodeBody(body), "  ")},`]),
  ];
  const call =
    options.length === 0 ? [`fetch(${JSON.stringify(url)});`] : [`fetch(${JSON.stringify(url)}, {`, ...options, "});"];
  return [
    `const response = await ${call[0]}`,
    ...call.slice(1),
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function nodeBody(body: Body): string {
  const value = JSON.stringify(body.value, null, 2);
  return isJson(body) ? `JSON.stringify(${value})` : value;
}

function pythonProgram({ method, url, needsKey, body }: ExampleRequest): string {
  const headers = [
    ...(needsKey ? [`        "Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"],`] : []),
    ...(body === null ? [] : [`        "Content-Type": ${JSON.stringify(body.type)},`]),
  ];
  return [
    `import ${[...(body !== null && isJson(body) ? ["json"] : []), ...(needsKey ? ["os"] : []), "urllib.error", "urllib.request"].join(", ")}`,
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    ...(headers.length === 0 ? [] : ["    headers={", ...headers, "    },"]),
    ...(body === null ? [] : [`    data=${indented(pythonBody(body), "    ")}.encode(),`]),
    ")",
    "try:",
    "    with urllib.request.urlopen(request) as response:",
    "        print(response.status, response.read().decode())",
    "except urllib.error.HTTPError as error:",
    "    print(error.code, error.read().decode())",
  ].join("\n");
}

function pythonBody(body: Body): string {
  const value = pythonLiteral(body.value);
  return isJson(body) ? `json.dumps(${value})` : value;
}

function phpProgram({ method, url, needsKey, body }: ExampleRequest): string {
  const headers = [
    ...(needsKey ? [`        "Authorization: Bearer " . getenv("${KEY_VARIABLE}"),`] : []),
    ...(body === null ? [] : [`        ${phpText(`Content-Type: ${body.type}`)},`]),
  ];
  return [
    "<?php",
    `$curl = curl_init(${phpText(url)});`,
    "curl_setopt_array($curl, [",
    "    CURLOPT_RETURNTRANSFER => true,",
    ...(method === "GET" ? [] : [`    CURLOPT_CUSTOMREQUEST => ${phpText(method)},`]),
    ...(headers.length === 0 ? [] : ["    CURLOPT_HTTPHEADER => [", ...headers, "    ],"]),
    ...(body === null ? [] : [`    CURLOPT_POSTFIELDS => ${indented(phpBody(body), "    ")},`]),
    "]);",
    "$body = curl_exec($curl);",
    'echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), " ", $body, "\\n";',
  ].join("\n");
}

function phpBody(body: Body): string {
  const value = phpLiteral(body.value);
  return isJson(body) ? `json_encode(${value})` : value;
}

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

/** How a language writes the values of JSON. Its strings are those of JSON but for `text`. */
interface Notation {
  step: string;
  open: Record<"list" | "map", string>;
  close: Record<"list" | "map", string>;
  pair: string;
  empty: Record<"list" | "map", string>;
  text: (value: string) => string;
  other: (value: unknown) => string;
}

function literal(value: unknown, notation: Notation): string {
  const { step, open, close, pair, empty, text, other } = notation;
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return other(value);
  const kind = Array.isArray(value) ? "list" : "map";
  const entries = Array.isArray(value)
    ? value.map((each) => literal(each, notation))
    : Object.entries(value).map(([name, each]) => `${text(name)}${pair}${literal(each, notation)}`);
  if (entries.length === 0) return empty[kind];
  const lines = entries.map((entry) => `${step}${indented(entry, step)},`);
  return [open[kind], ...lines, close[kind]].join("\n");
}

const PYTHON: Notation = {
  step: "    ",
  pair: ": ",
  text: JSON.stringify,
  open: { list: "[", map: "{" },
  close: { list: "]", map: "}" },
  empty: { list: "[]", map: "{}" },
  other: (value) => (value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value)),
};

const pythonLiteral = (value: unknown): string => literal(value, PYTHON);

const PHP: Notation = {
  step: "    ",
  pair: " => ",
  text: phpText,
  other: String,
  // An empty array would be a list in JSON.
  open: { list: "[", map: "[" },
  close: { list: "]", map: "]" },
  empty: { list: "[]", map: "new stdClass()" },
};

const phpLiteral = (value: unknown): string => literal(value, PHP);

/** A string of PHP in double quotes: that of JSON, but `$` would begin a variable, and escapes of characters have another form. */
function phpText(text: string): string {
  return JSON.stringify(text)
    .replace(/\\(?:u([0-9a-f]{4})|b|.)/g, (whole, code?: string) =>
      code !== undefined ? `\\u{${code}}` : whole === "\\b" ? "\\x08" : whole,
    )
    .replaceAll("$", "\\$");
}
