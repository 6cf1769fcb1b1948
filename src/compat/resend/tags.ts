/**
 * Tags: pairs of a name and a value in Resend's API. They become the metadata of a message, which lookups, events and webhooks
 * return, and tags `name:value` of Postrider's API, by which messages are searched.
 */
import { ERRORS_MAX, echo, type FieldError, fieldName } from "../../message/field-errors.ts";
import { METADATA_MAX, TAG_LENGTH_MAX, TAGS_MAX } from "../../message/send-request/send-request-schema.ts";

export interface Tag {
  name: string;
  value: string;
}

interface TranslatedTags {
  /** Fields of a send request of Postrider's API. */
  labels: { metadata?: Record<string, string>; tags?: string[] };
  /** Returns the field of Resend's request that an error of Postrider's API's is about. */
  fieldOf: (field: string) => string;
}

/** The form that Resend prescribes. A pair of another form is not searched by: its colon would be ambiguous. */
const SEARCHABLE = /^[\w-]+:[\w-]+$/;

const asIs = (field: string): string => field;

/** Translates the `tags` of a message. Adds the errors of those that are not pairs, and of repeated names. */
export function translateTags(tags: unknown, errors: FieldError[]): TranslatedTags {
  if (tags === undefined) return { labels: {}, fieldOf: asIs };
  const fault = faultOf(tags);
  if (fault !== null) errors.push({ field: "tags", detail: fault });
  if (fault !== null || !Array.isArray(tags)) return { labels: {}, fieldOf: asIs };
  const pairs: [name: string, value: string][] = [];
  const fields = new Map([["metadata", "tags"]]);
  for (const [i, tag] of tags.entries()) {
    const detail = isTag(tag) ? repetition(tag, pairs) : "This must be an object with the strings name and value.";
    if (detail !== null && errors.length < ERRORS_MAX) errors.push({ field: `tags[${i}]`, detail });
    if (detail !== null || !isTag(tag)) continue;
    pairs.push([tag.name, tag.value]);
    for (const name of [fieldName(["metadata", tag.name]), echo(`metadata.${tag.name}`)])
      fields.set(name, `tags[${i}]`);
  }
  return {
    labels: { metadata: Object.fromEntries(pairs), tags: searchTagsOf(pairs) },
    fieldOf: (field) => fields.get(field) ?? field,
  };
}

/** Returns the tags that a message's metadata is shown as. */
export function tagsOf(metadata: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(metadata).map(([name, value]) => ({ name, value }));
}

function faultOf(tags: unknown): string | null {
  if (!Array.isArray(tags)) return "This must be an array of objects with the strings name and value.";
  return tags.length > METADATA_MAX ? `This has more than ${METADATA_MAX} entries.` : null;
}

function isTag(tag: unknown): tag is Tag {
  if (typeof tag !== "object" || tag === null) return false;
  const { name, value, ...others } = tag as Partial<Tag>;
  return typeof name === "string" && typeof value === "string" && Object.keys(others).length === 0;
}

const repetition = ({ name }: Tag, pairs: readonly [name: string, value: string][]): string | null =>
  pairs.some(([known]) => known === name) ? "Another tag has this name." : null;

function searchTagsOf(pairs: readonly [name: string, value: string][]): string[] {
  const searched = pairs.map(([name, value]) => `${name}:${value}`);
  return searched.filter((tag) => SEARCHABLE.test(tag) && tag.length <= TAG_LENGTH_MAX).slice(0, TAGS_MAX);
}
