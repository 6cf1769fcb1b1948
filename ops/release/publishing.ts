/** release/PUBLISHING.md: what was built, what was left out, and what a person does to publish each part. */
import { FILES, VERSION } from "./place.ts";

export interface Report {
  commit: string;
  /** What was made and tried, one sentence each. */
  made: string[];
  /** What was not, and why. */
  leftOut: string[];
}

const isPreRelease = VERSION.includes("-");

/** `files` are the names in release/. */
export function publishingDocument({ commit, made, leftOut }: Report, files: readonly string[]): string {
  const images = files.filter((name) => name.endsWith(".oci.tar"));
  const tag = isPreRelease ? " --tag next" : "";
  return `# Publish ${VERSION}

Built from ${commit}. Nothing was published by the build.

## Made

${list([...files.map((name) => `\`${name}\``), ...made])}

## Left out

${list(leftOut)}

## Steps

1. Check the files: \`cd release && sha256sum -c ${FILES.checksums}\`.
2. Commit \`ops/release/contract/last-release.json.gz\`, which later changes are compared with, and tag the commit:
   \`git tag -s v${VERSION} && git push origin v${VERSION}\`.
3. npm, with an account that owns the name \`postrider\`:
   \`npm publish ${FILES.package} --access public${tag}\`. Then, in an empty folder: \`npx postrider@${VERSION} demo\`.
4. Images, of those that were not built on a stand-in; OCI archives have no HEALTHCHECK, so whoever runs one asks \`/healthz\`. With \`skopeo login REGISTRY\`:
${imageSteps(images)}
5. A release of the tag with \`${FILES.notes}\` as its text, and all other files of this folder attached.
6. Set the new image in \`compose.yaml\`, \`ops/deploy/\` and the installation page, if its name or version differs.
`;
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? "- nothing" : lines.map((line) => `- ${line}`).join("\n");

function imageSteps(images: readonly string[]): string {
  if (images.length === 0) return "   none was built, see above.";
  const copies = images.map((name) => {
    const architecture = /-(\w+)\.oci\.tar$/.exec(name)?.[1];
    return `   \`skopeo copy oci-archive:${name} docker://REGISTRY/postrider:${VERSION}-${architecture}\``;
  });
  const parts = images.map((name) => `REGISTRY/postrider:${VERSION}-${/-(\w+)\.oci\.tar$/.exec(name)?.[1]}`);
  return [...copies, `   \`docker buildx imagetools create -t REGISTRY/postrider:${VERSION} ${parts.join(" ")}\``].join(
    "\n",
  );
}
