/** Parses tag lists, the syntax of DKIM and DMARC records (RFC 6376 §3.2, RFC 7489 §6.3). The checks interpret the tags. */

export interface Tag {
  name: string;
  /** Without surrounding spaces. */
  value: string;
}

export type TagList = { type: "tags"; tags: Tag[] } | { type: "malformed"; detail: string };

/** Splits a record into its tags. A part without "=" or a repeated tag makes it malformed. */
export function parseTagList(text: string): TagList {
  const tags: Tag[] = [];
  for (const part of text.split(";").map((part) => part.trim())) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (!/^[a-z][a-z0-9_]*$/i.test(name)) {
      return { type: "malformed", detail: `the part “${part.slice(0, 60)}” does not have the form tag=value` };
    }
    if (tags.some((tag) => tag.name === name)) return { type: "malformed", detail: `the tag ${name}= is repeated` };
    tags.push({ name, value: part.slice(equals + 1).trim() });
    if (tags.length > TAGS_MAX) return { type: "malformed", detail: `it has more than ${TAGS_MAX} tags` };
  }
  return { type: "tags", tags };
}

const TAGS_MAX = 50;

/** The value of a tag, or null when the tag is absent. */
export function tagValue(tags: Tag[], name: string): string | null {
  return tags.find((tag) => tag.name === name)?.value ?? null;
}
