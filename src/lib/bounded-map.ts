/**
 * A map with a limit on its entries. `set` makes an entry the newest; at the limit the oldest is dropped. Look up with `peek`, which
 * does not change that order; `get` does.
 *
 * The limit is lru-cache's `maxSize` with entries of size 1. Its `max` allocates arrays of that length at once: 1.5 ms and 3.5 MB at
 * each start for all of Postrider's maps, most of which never fill.
 */
import { LRUCache } from "lru-cache";

export type BoundedMap<V extends object | string | number> = LRUCache<string, V>;

export function boundedMap<V extends object | string | number>(max: number): BoundedMap<V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
