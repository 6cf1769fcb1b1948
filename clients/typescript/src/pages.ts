/** Lists as iterators over all their pages. */

export interface PageReader<Page, Item> {
  /** The cursor of the first page. */
  first: string | undefined;
  /** Whether the list goes on for ever, since each request waits for items. */
  isFollowed: boolean;
  itemsOf: (page: Page) => readonly Item[];
  nextOf: (page: Page) => string | null;
  onPage: ((cursor: string | null) => void | Promise<void>) | undefined;
}

/**
 * Yields the items of all pages. A list ends where a page has no next cursor, or where it is empty and its cursor is the one
 * that was asked with.
 */
export async function* iterate<Page, Item>(
  read: (cursor: string | undefined) => Promise<Page>,
  { first, isFollowed, itemsOf, nextOf, onPage }: PageReader<Page, Item>,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor = first; ; ) {
    const page = await read(cursor);
    const items = itemsOf(page);
    yield* items;
    const next = nextOf(page);
    await onPage?.(next);
    if (next === null || (items.length === 0 && next === cursor && !isFollowed)) return;
    cursor = next;
  }
}
