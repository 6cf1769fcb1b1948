/** Numbers the parameters of a statement in the order in which its text is made: most are arrays, one for each column of rows. */

import type { Columns } from "../../../records/column-types.ts";

export class ArrayParameters {
  #last = 0;

  /** One value. */
  value(type: string): string {
    this.#last += 1;
    return `$${this.#last}::${type}`;
  }

  /** Rows under a name, for a FROM clause: an array for each column. */
  rows(name: string, columns: Columns): string {
    const arrays = Object.values(columns).map((type) => this.value(`${type.replace("?", "")}[]`));
    return `unnest(${arrays.join(", ")}) AS ${name} (${Object.keys(columns).join(", ")})`;
  }
}
