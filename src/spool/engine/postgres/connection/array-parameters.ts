/** Numbers the parameters of a statement in the order in which its text is made: most are arrays, one for each column of rows. */

/** Types of columns by their names, in the order of their values. */
export type ArrayColumns = Readonly<Record<string, "bigint" | "boolean" | "int" | "text">>;

export class ArrayParameters {
  #last = 0;

  /** One value. */
  value(type: string): string {
    this.#last += 1;
    return `$${this.#last}::${type}`;
  }

  /** Rows under a name, for a FROM clause: an array for each column. */
  rows(name: string, columns: ArrayColumns): string {
    const arrays = Object.values(columns).map((type) => this.value(`${type}[]`));
    return `unnest(${arrays.join(", ")}) AS ${name} (${Object.keys(columns).join(", ")})`;
  }
}
