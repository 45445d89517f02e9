import { type Sql, sql } from '../platform/db/sql.ts';

/** Ids whose bits lie in one piece of memory: 1 kB. */
const pageIds = 8_192;
const pageBytes = pageIds / 8;

/**
 * A set of subscribers' ids, small enough to be handed to a statement: a bit for each id in between, or a list where
 * that is shorter. A million neighbours take 125 kB.
 */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds ids, each of which is new: one after the other as PostgreSQL's `int4send` writes them. */
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

  /** Condition on `fld0`: it is in the set. Never null. */
  condition(): Sql {
    if (this.#size === 0) return sql`false`;
    const numbers = [...this.#pages.keys()].sort((a, b) => a - b);
    const [first, last] = [numbers[0]!, numbers.at(-1)!];
    const length = (last - first + 1) * pageBytes;
    // As text, because of which each id is some eight bytes; and so few are found in the index.
    if (this.#size * 8 <= length) return sql`fld0 = any(${`{${this.#list(numbers).join()}}`}::int4[])`;
    const bits = Buffer.alloc(length);
    for (const number of numbers) bits.set(this.#pages.get(number)!, (number - first) * pageBytes);
    const from = first * pageIds;
    // `<>`: PostgreSQL takes it for a condition that most rows meet, and plans joins for many.
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
