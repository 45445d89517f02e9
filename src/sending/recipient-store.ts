import { foldValue } from '../contents/content-data.ts';
import { contentOfValues } from '../contents/content-data-store.ts';
import type { FieldValue, TagField } from '../contents/tag.ts';
import type { RowSlot } from '../contents/tag-tree.ts';
import { columnNameOf, selectOf } from '../fields/field.ts';
import { type Recipient, type RecipientNeeds, rowKey } from '../mail/recipient.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, type Sql, sql } from '../platform/db/sql.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { mayReceive, mayReceiveTransactional } from '../subscribers/eligibility.ts';

/**
 * Reads the eligible recipients among `ids`. A missing one was deleted, unsubscribed, bounced or complained since the
 * audience was frozen.
 * @param isTransactional whether unsubscribed ones are read too
 */
export async function readRecipients(
  db: SiteDb,
  ids: readonly number[],
  needs: RecipientNeeds,
  isTransactional = false,
): Promise<Map<number, Recipient>> {
  const isEligible = isTransactional ? mayReceiveTransactional() : mayReceive();
  const recipients = await read(db, needs, sql`fld0 = any(${ids}::int[]) and ${isEligible}`);
  return new Map(recipients.map((recipient) => [recipient.id, recipient]));
}

/** Reads one recipient of a message, even one who is no longer eligible. */
export async function findRecipient(
  db: SiteDb,
  id: number | Sql,
  needs: RecipientNeeds,
): Promise<Recipient | undefined> {
  return (await read(db, needs, sql`fld0 = ${id}`))[0];
}

/** The reader of a message that is not sent: a subscriber by id or address, or the first one who may receive mail. */
export interface Reader {
  readonly idSubscriber: number | null;
  readonly email: string | null;
}

/** @throws 404 for an unknown subscriber, 422 if none is named and none may receive mail */
export async function getReader(
  db: SiteDb,
  { idSubscriber, email }: Reader,
  needs: RecipientNeeds,
): Promise<Recipient> {
  const first = sql`(select fld0 from ${db.t.subscriber} where ${mayReceive()} order by fld0 limit 1)`;
  const isReader =
    email === null
      ? sql`fld0 = ${idSubscriber ?? first}`
      : sql`lower(fld1) = ${normaliseEmail(email)?.toLowerCase() ?? null}`;
  const [found] = await read(db, needs, isReader);
  if (found) return found;
  if (email !== null || idSubscriber !== null)
    throw notFound('Subscriber', email === null ? 'idSubscriber' : 'email');
  throw refused('idSubscriber: the site has no subscriber who may receive mail; create one first');
}

async function read(
  db: SiteDb,
  { fields, rows: slots }: RecipientNeeds,
  condition: Sql,
): Promise<Recipient[]> {
  const columns = fields.map((field) => sql`, ${selectOf(field)}`);
  const rows = await db.rows<Pick<Recipient, 'id' | 'email' | 'domain'> & Record<string, unknown>>(sql`
    select fld0 as id, fld1 as email, coalesce(fld37, '') as domain
      ${columns.length > 0 ? join(columns, '') : empty}
    from ${db.t.subscriber}
    where ${condition}`);
  const recipients = rows.map((row) => {
    // The select list names a field's column by its id, and the value has the field's type.
    const own = fields.map(
      (field) => [field.id, fieldValue(field, row[columnNameOf(field)] as FieldValue)] as const,
    );
    const { id, email, domain } = row;
    return { id, email, domain, fields: new Map(own) };
  });
  return slots.length === 0 ? recipients : withRows(db, recipients, slots);
}

/** Adds the recipients' content data, with one statement for each key and field. */
async function withRows(
  db: SiteDb,
  recipients: readonly Recipient[],
  slots: readonly RowSlot[],
): Promise<Recipient[]> {
  const found = recipients.map(() => new Map<string, string>());
  for (const { key, idField, display } of slots) {
    const values = recipients.map(({ fields }) => foldValue(display(fields.get(idField))));
    const contents = await contentOfValues(db, key, [...new Set(values.filter(Boolean))]);
    for (const [index, value] of values.entries()) {
      const content = contents.get(value);
      if (content !== undefined) found[index]!.set(rowKey(key, idField), content);
    }
  }
  return recipients.map((recipient, index) => ({ ...recipient, rows: found[index]! }));
}

/** 64-bit values arrive as text: above 2^53 a JavaScript number would change them. */
function fieldValue(field: TagField, value: FieldValue): FieldValue {
  if (field.fieldType !== 'Integer' || typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}
