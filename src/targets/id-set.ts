import { type Sql, sql } from '../platform/db/sql.ts';

/** Ids in one page of bits: 1 kB. */
const pageIds = 8_192;
const pageBytes = pageIds / 8;

/**
 * A set of subscriber ids, small enough to be a parameter of a statement: a bitmap from the first id to the last, or a
 * list where that is shorter. A million adjacent ids take 125 kB.
 */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds new ids, concatenated as PostgreSQL's `int4send` writes them. */
  add(ids: Buffer): void {
    for (let at = 0; at < ids.length; at += 4) {
      const id = ids.readInt32BE(at);
      const number = Math.floor(id / pageIds);
      let page = this.#pages.get(number);
      if (!page) {
        page = new Uint8Array(pageBytes);
        this.#pages.set(number, page);
      }
      page[(id - number * pageIds) >> 3]! |= 1 << (id & 7);
    }
    this.#size += ids.length / 4;
  }

  /** A condition on `fld0`: the id is in the set. Never null. */
  condition(): Sql {
    if (this.#size === 0) return sql`false`;
    const numbers = [...this.#pages.keys()].sort((a, b) => a - b);
    const [first, last] = [numbers[0]!, numbers.at(-1)!];
    const length = (last - first + 1) * pageBytes;
    // As text, where an id takes about eight bytes. So few ids are looked up in the index.
    if (this.#size * 8 <= length) return sql`fld0 = any(${`{${this.#list(numbers).join()}}`}::int4[])`;
    const bits = Buffer.alloc(length);
    for (const number of numbers) bits.set(this.#pages.get(number)!, (number - first) * pageBytes);
    const from = first * pageIds;
    // `<>` makes PostgreSQL expect that most rows match, and plan joins for many.
    return sql`
      (case when fld0 >= ${from}::int and fld0 < ${from + length * 8}::bigint
        then get_bit(${bits}::bytea, fld0 - ${from}::int) else 0 end <> 0)`;
  }

  #list(numbers: readonly number[]): number[] {
    const ids: number[] = [];
    for (const number of numbers) {
      const page = this.#pages.get(number)!;
      for (let at = 0; at < pageBytes; at++) {
        for (let bit = 0; page[at]! >> bit > 0; bit++) {
          if ((page[at]! >> bit) & 1) ids.push(number * pageIds + at * 8 + bit);
        }
      }
    }
    return ids;
  }
}
