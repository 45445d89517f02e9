import { foldValue } from '../contents/content-data.ts';
import { contentOfValues } from '../contents/content-data-store.ts';
import type { FieldValue, TagField } from '../contents/tag.ts';
import type { RowSlot } from '../contents/tag-tree.ts';
import { columnNameOf, selectOf } from '../fields/field.ts';
import { type Recipient, type RecipientNeeds, rowKey } from '../mail/recipient.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, type Sql, sql } from '../platform/db/sql.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { mayReceive, mayReceiveTransactional } from '../subscribers/eligibility.ts';

/**
 * Reads the recipients among `ids` that may still be written to. Who is absent was deleted, unsubscribed, bounced or
 * complained since the audience was frozen.
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

/** Reads one recipient of a message that was sent, even when nothing may be sent to them any more. */
export async function findRecipient(
  db: SiteDb,
  id: number,
  needs: RecipientNeeds,
): Promise<Recipient | undefined> {
  return (await read(db, needs, sql`fld0 = ${id}`))[0];
}

/** Reads a subscriber by their address, whether they may receive mail or not. */
export async function findRecipientByEmail(
  db: SiteDb,
  email: string,
  needs: RecipientNeeds,
): Promise<Recipient | undefined> {
  const known = normaliseEmail(email)?.toLowerCase();
  return known === undefined ? undefined : (await read(db, needs, sql`lower(fld1) = ${known}`))[0];
}

/** Reads the subscriber with the lowest id who may receive mail. */
export async function firstRecipient(db: SiteDb, needs: RecipientNeeds): Promise<Recipient | undefined> {
  const first = sql`select fld0 from ${db.t.subscriber} where ${mayReceive()} order by fld0 limit 1`;
  return (await read(db, needs, sql`fld0 = (${first})`))[0];
}

async function read(
  db: SiteDb,
  { fields, rows: slots }: RecipientNeeds,
  condition: Sql,
): Promise<Recipient[]> {
  const columns = fields.map((field) => sql`, ${selectOf(field)}`);
  const rows = await db.rows<RecipientRow>(sql`
    select fld0 as "idSubscriber", fld1 as "emailAddress", coalesce(fld37, '') as "emailDomain"
      ${columns.length > 0 ? join(columns, '') : empty}
    from ${db.t.subscriber}
    where ${condition}`);
  const recipients = rows.map((row) => {
    // The select list names a field's column as the field's id says; its value is of the field's type.
    const own = fields.map(
      (field) => [field.id, fieldValue(field, row[columnNameOf(field)] as FieldValue)] as const,
    );
    const { idSubscriber: id, emailAddress: email, emailDomain: domain } = row;
    return { id, email, domain, fields: new Map(own) };
  });
  return slots.length === 0 ? recipients : withRows(db, recipients, slots);
}

/** Adds what is in content data for the recipients: one statement for each key and field. */
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

interface RecipientRow {
  readonly idSubscriber: number;
  readonly emailAddress: string;
  readonly emailDomain: string;
  readonly [column: string]: unknown;
}

/** 64-bit values come as text: past 2^53 a JavaScript number would change them. */
function fieldValue(field: TagField, value: FieldValue): FieldValue {
  if (field.fieldType !== 'Integer' || typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}
