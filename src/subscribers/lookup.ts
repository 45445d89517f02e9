import type { Field } from '../fields/field.ts';
import { isInt64 } from '../fields/field-value.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { invalid } from '../platform/http/refusal.ts';
import { IdOf, OneOf, Query, type Static, Type } from '../platform/http/schema.ts';
import { keptIn } from '../platform/remembered.ts';
import { inParts } from './answer-size.ts';
import { type Hash, hashSql } from './hash-index.ts';
import { maxPerCall, type Subscriber, type SubscriberRow, showSubscriber } from './subscriber.ts';

/** Hexadecimal digits of each hash of an email address. */
const hashDigits: Readonly<Record<Hash, number>> = { MD5: 32, SHA1: 40, SHA2_256: 64, SHA2_512: 128 };

/** The query of getSubscribers and getArchivedSubscribers. */
export const Lookup = Query({
  'filter.by': OneOf(['Unspecified', 'IdSubscriber', 'IdClient', 'Email'] as const),
  'filter.idFields': Type.Optional(Type.Array(IdOf('field', Type.Integer()), { maxItems: 500 })),
  'filter.emailEncoding': Type.Optional(OneOf(['None', 'MD5', 'SHA1', 'SHA2_256', 'SHA2_512'] as const)),
  'filter.values': Type.Array(IdOf('subscriber', Type.String({ maxLength: 1000 })), { maxItems: maxPerCall }),
});
export type Lookup = Static<typeof Lookup>;

type Kind = 'id' | 'client' | 'email' | Hash;

/** Values of one kind, with the positions of their subscribers in the reply. */
export interface Wanted {
  readonly kind: Kind;
  readonly values: string[];
  readonly positions: number[];
}

/** Groups values by kind; `Unspecified` goes by “@” and a hash's digits, or takes an id. @throws 400 naming one */
export function readLookup(lookup: Lookup): Wanted[] {
  const { 'filter.by': by, 'filter.emailEncoding': encoding = 'None', 'filter.values': values } = lookup;
  const wanted = new Map<Kind, Wanted>();
  for (const [position, value] of values.entries()) {
    const text = value.trim();
    const kind = kindOf(by, encoding, text);
    if (!hasForm(kind, text))
      throw invalid(`filter.values[${position}]: must be ${wantedForm(by, encoding, kind)}`);
    const group = keptIn(wanted, kind, () => ({ kind, values: [], positions: [] }));
    // An invalid address finds no one, in the same way as an unknown address.
    group.values.push(kind === 'email' ? (normaliseEmail(text) ?? '') : text);
    group.positions.push(position);
  }
  return [...wanted.values()];
}

/** The values in groups that one statement may read (`readAtATime`). */
export function inStatements(wanted: readonly Wanted[], atATime: number): Wanted[] {
  return wanted.flatMap(({ kind, values, positions }) => {
    const places = inParts(positions, atATime);
    return inParts(values, atATime).map((part, i) => ({ kind, values: part, positions: places[i]! }));
  });
}

/** The reply: one subscriber for each value of the call, null where no one is found. */
export function showFound(
  lookup: Lookup,
  found: ReadonlyMap<number, SubscriberRow>,
  shown: readonly Field[],
): (Subscriber | null)[] {
  return lookup['filter.values'].map((_, position) => {
    const row = found.get(position);
    return row ? showSubscriber(row, shown) : null;
  });
}

function kindOf(by: Lookup['filter.by'], encoding: 'None' | Hash, text: string): Kind {
  if (by === 'IdSubscriber') return 'id';
  if (by === 'IdClient') return 'client';
  if (by === 'Email') return encoding === 'None' ? 'email' : encoding;
  if (text.includes('@')) return 'email';
  return encoding !== 'None' && isOfHash(encoding, text) ? encoding : 'id';
}

function hasForm(kind: Kind, text: string): boolean {
  if (kind === 'email') return true;
  return kind === 'id' || kind === 'client' ? isInt64(text) : isOfHash(kind, text);
}

/** The required form of a value in words; all accepted forms with `Unspecified`. */
function wantedForm(by: Lookup['filter.by'], encoding: 'None' | Hash, kind: Kind): string {
  const number = 'a whole number of 64 bits';
  if (by !== 'Unspecified') return kind in hashDigits ? digitsOf(kind as Hash) : number;
  const hash = encoding === 'None' ? '' : `, ${digitsOf(encoding)} (${encoding})`;
  return `an email address${hash} or a subscriber id (${number})`;
}

const digitsOf = (hash: Hash) => `${hashDigits[hash]} hexadecimal digits`;

const isOfHash = (hash: Hash, text: string) => text.length === hashDigits[hash] && /^[0-9a-f]*$/i.test(text);

/** A table in which subscribers are looked up. */
export interface Place {
  readonly table: Sql;
  readonly id: Sql;
  readonly email: Sql;
  readonly client: Sql;
}

/**
 * Rows (`n`, position in the call, then `select` of the table's columns) of the wanted subscribers. Each value is one
 * look-up in an index: the limit keeps the planner from joining, which for thousands of values would hash the email of
 * every row of the table. Of several rows of one subscriber (in the archive), the one with the highest id is returned;
 * the minus keeps the planner from walking the primary key in that order, as it does on tables that are not analysed
 * yet. `more` is added to the select list (`, … as …`).
 */
export function findSql(place: Place, { kind, values, positions }: Wanted, select: Sql, more = sql``): Sql {
  return sql`
    select wanted.n, found.*${more}
    from unnest(${values}::text[], ${positions}::int[]) as wanted (value, n)
    cross join lateral (
      select ${select} from ${place.table} where ${matchSql(place, kind)} order by -${place.id} limit 1
    ) found`;
}

/** `findSql` for a hash without an index: one scan of the table, seconds for a million rows. */
export function scanSql(place: Place, { kind, values, positions }: Wanted, select: Sql, more = sql``): Sql {
  return sql`
    with wanted as materialized (
      select wanted.n, max(${place.id}) as id
      from unnest(${values}::text[], ${positions}::int[]) as wanted (value, n)
      join ${place.table} on ${matchSql(place, kind)}
      group by wanted.n)
    select wanted.n, found.*${more}
    from wanted cross join lateral (
      select ${select} from ${place.table} where ${place.id} = wanted.id
    ) found`;
}

function matchSql({ id, email, client }: Place, kind: Kind): Sql {
  switch (kind) {
    case 'id':
      return sql`${id} = wanted.value::bigint`;
    case 'client':
      return sql`${client} = wanted.value::bigint`;
    case 'email':
      return sql`lower(${email}) = lower(wanted.value)`;
    default:
      return sql`${hashSql(kind, email)} = decode(wanted.value, 'hex')`;
  }
}
