/** The relative links of README and the documents: each leads to a file of the repository, and its anchor to a heading. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { partUnder, withoutCode, withoutFences } from "./markdown.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const PAGES = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].filter((name) => existsSync(join(ROOT, name))),
  ...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

interface Page {
  /** Links and images of Markdown, and those of its HTML elements. */
  links: string[];
  anchors: Set<string>;
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), "utf8");
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|(?:src|srcset|href)="([^"\s]+)"/gm)];
  return {
    links: links.map(([, inline, reference, attribute]) => inline ?? reference ?? attribute ?? ""),
    anchors: anchorsOf([...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) => title)),
  };
}

/** As GitHub makes them: of headings that are equal, the second ends with -1. */
function anchorsOf(titles: string[]): Set<string> {
  const anchors = new Set<string>();
  for (const title of titles) {
    const shown = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
    const base = shown
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    let anchor = base;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${base}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

const isRelative = (link: string): boolean => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link);

/** Why a link of a page leads nowhere; null where it leads somewhere. */
function faultOf(link: string, from: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from : normalize(join(dirname(from), decodeURIComponent(path)));
  if (target.startsWith("..") || !existsSync(join(ROOT, target))) return `there is no ${target}`;
  if (anchor === undefined || (target.endsWith(".md") && readPage(target).anchors.has(anchor))) return null;
  return `${target} has no heading for #${anchor}`;
}

for (const page of PAGES) {
  test(`the links of ${page} lead somewhere`, () => {
    const faults = readPage(page)
      .links.filter(isRelative)
      .map((link) => ({ link, fault: faultOf(link, page) }));
    assert.deepEqual(
      faults.filter(({ fault }) => fault !== null),
      [],
    );
  });
}

test("README and the index link every page of docs", () => {
  const index = readPage("docs/README.md").links.map((link) => link.split("#")[0]);
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  assert.deepEqual(
    pages.filter((name) => !index.includes(name)),
    [],
  );
  assert.ok(readPage("README.md").links.includes("docs/README.md"));
  assert.ok(pages.length > 5);
});

test("each reader has a path of at most five pages", () => {
  const part = partUnder(readFileSync(join(ROOT, "docs/README.md"), "utf8"), "Start here");
  const paths = [...part.matchAll(/^\| \w[^|]*\| (\[.*) \|$/gm)].map(
    ([, path = ""]) => path.match(/\]\(/g)?.length ?? 0,
  );
  assert.ok(paths.length >= 5 && paths.every((pages) => pages <= 5), String(paths));
});

test("an anchor is made of a heading as GitHub makes it", () => {
  const titles = [
    "What the doctor finds",
    "When the spool's file is damaged",
    "`file_system`",
    "What /readyz says",
    "A",
    "A",
  ];
  assert.deepEqual(
    [...anchorsOf(titles)],
    ["what-the-doctor-finds", "when-the-spools-file-is-damaged", "file_system", "what-readyz-says", "a", "a-1"],
  );
});
