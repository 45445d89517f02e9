import { columnOf, type Field, firstCustomId, nameOf } from '../fields/field.ts';
import { holdFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { invalid, notFound } from '../platform/http/refusal.ts';
import { Bool, Closed, IdOf, Int32, Maybe, OneOf, Reference, type Static } from '../platform/http/schema.ts';
import { keptIn } from '../platform/remembered.ts';
import type { Writing } from '../subscribers/field-change.ts';
import { systemFields } from '../subscribers/field-change-store.ts';
import { byId, type Fields } from '../subscribers/subscriber.ts';
import { lockSubscribers } from '../subscribers/subscriber-store.ts';
import { groupsOfDistinct, type Unsubscribing, writeUnsubscription } from '../subscribers/subscription.ts';
import { recordUnsubscriptions } from './unsubscription-store.ts';

/** An element of the call, as in the API document. */
export const Unsubscription = Closed('Unsubscription', {
  idSubscriber: IdOf('subscriber', Int32()),
  from: Maybe(OneOf(['Newsletter', 'PartnerOffers', 'SpecificNewsletter'])),
  // Ids of fields begin at 0, which is a system field, so 0 does not mean none here.
  idSubscriptionField: Maybe(
    IdOf('field', Int32('Required with SpecificNewsletter: the custom field that is set to 1')),
  ),
  idUnsubDateField: Maybe(
    IdOf(
      'field',
      Int32('Required with SpecificNewsletter: the custom field of type Date that is set to now'),
    ),
  ),
  idSent: Reference('sent', 'The sending that the unsubscription counts for'),
  unsubOnlySubscribers: Maybe(Bool()),
});
type AskedUnsubscription = Static<typeof Unsubscription>;

/**
 * Unsubscribes subscribers and counts it for the given sendings, in one transaction. Returns for each element whether
 * it was done.
 * @throws 400 naming a field that cannot hold a subscription, 404 for an unknown idSent; then nothing is done.
 */
export async function unsubscribeAll(
  db: SiteDb,
  asked: readonly AskedUnsubscription[],
  writing: Writing,
): Promise<boolean[]> {
  const { at } = writing;
  return db.transaction(async (tx) => {
    const fields = byId(await holdFields(tx));
    const unsubscribings = new Map<string, Unsubscribing>();
    for (const [position, one] of asked.entries())
      keptIn(unsubscribings, signatureOf(one), () => unsubscribingOf(fields, one, position, at));
    await checkSents(tx, asked);
    await lockSubscribers(
      tx,
      asked.map(({ idSubscriber }) => idSubscriber),
    );
    const results: boolean[] = asked.map(() => false);
    const counted: { idSent: number; idSubscriber: number }[] = [];
    for (const group of groupsOfDistinct(asked, signatureOf)) {
      const { element: one } = group[0]!;
      const ids = group.map(({ element }) => element.idSubscriber);
      const onlySubscribed = one.unsubOnlySubscribers ?? false;
      const what = { ...unsubscribings.get(signatureOf(one))!, onlySubscribed };
      const done = await writeUnsubscription(tx, ids, what, writing);
      for (const { element, position } of group) {
        const { idSubscriber, idSent } = element;
        results[position] = done.has(idSubscriber);
        if (results[position] && idSent) counted.push({ idSent, idSubscriber });
      }
    }
    await recordUnsubscriptions(tx, counted, at, 'api');
    return results;
  });
}

/** Elements with the same signature share a statement. */
function signatureOf(one: AskedUnsubscription): string {
  const { from, idSubscriptionField, idUnsubDateField, unsubOnlySubscribers } = one;
  return JSON.stringify([from, idSubscriptionField, idUnsubDateField, unsubOnlySubscribers]);
}

/** Refuses ids without a sending: they would count for the sending that gets the id later. */
async function checkSents(tx: SiteDb, asked: readonly AskedUnsubscription[]): Promise<void> {
  const ids = [...new Set(asked.flatMap(({ idSent }) => idSent ?? []))];
  if (ids.length === 0) return;
  const known = new Set(
    await tx.values<number>(sql`select id from ${tx.t.known_sent} where id = any(${ids}::int[])`),
  );
  const at = asked.findIndex(({ idSent }) => typeof idSent === 'number' && !known.has(idSent));
  if (at >= 0) throw notFound('Sent', `[${at}].idSent`);
}

/** @throws 400 for an element that cannot be done. */
function unsubscribingOf(
  fields: Fields,
  one: AskedUnsubscription,
  position: number,
  at: Date,
): Unsubscribing {
  const from = one.from ?? 'Newsletter';
  // Fields that `from` does not use: a caller would believe that they were written. 0 means none.
  for (const member of ['idSubscriptionField', 'idUnsubDateField'] as const)
    if (from !== 'SpecificNewsletter' && one[member])
      throw invalid(`[${position}].${member}: allowed only if from is SpecificNewsletter`);
  switch (from) {
    case 'Newsletter':
      return { assignments: sql`fld7 = 1, fld4 = ${at}`, fields: systemFields(7, 4) };
    case 'PartnerOffers':
      // The API document's rule to the letter: 1 and the date, as subscribing to the offers writes them.
      return { assignments: sql`fld8 = 1, fld10 = ${at}`, fields: systemFields(8, 10) };
    case 'SpecificNewsletter': {
      const flag = customField(fields, one.idSubscriptionField, `[${position}].idSubscriptionField`);
      const date = customField(fields, one.idUnsubDateField, `[${position}].idUnsubDateField`);
      const value = flagOf(flag, `[${position}].idSubscriptionField`);
      if (date.fieldType !== 'Date')
        throw invalid(`[${position}].idUnsubDateField: ${nameOf(date)} must be a Date field`);
      return {
        assignments: sql`${columnOf(flag)} = ${value}, ${columnOf(date)} = ${at}`,
        fields: [flag, date],
      };
    }
  }
}

/** A custom field for a site's own newsletter; system fields have their own operations. */
function customField(fields: Fields, id: number | null | undefined, member: string): Field {
  if (id === null || id === undefined) throw invalid(`${member}: is required with SpecificNewsletter`);
  const field = fields.get(id);
  if (!field || id < firstCustomId) throw invalid(`${member}: ${id} is not a custom field`);
  return field;
}

/** The API document's 1 in the type of the field. */
function flagOf(field: Field, member: string): Sql {
  if (field.fieldType === 'Boolean') return sql`true`;
  if (field.fieldType === 'Integer') return sql`1`;
  if (field.fieldType === 'List' && field.list?.some(({ key }) => key === 1)) return sql`1`;
  throw invalid(`${member}: ${nameOf(field)} must be a Boolean or Integer field, or a List with the key 1`);
}
