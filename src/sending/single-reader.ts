import { withFieldSet } from '../fields/field-set.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { invalid, notFound, refused } from '../platform/http/refusal.ts';
import type { Wanted } from '../subscribers/lookup.ts';
import { findSubscribers } from '../subscribers/subscriber-store.ts';
import { deliveryState } from '../subscribers/subscription.ts';
import { type SingleSend, usualFields } from './single-send.ts';
import type { MessageNeeds, SingleVersion } from './single-versions.ts';

/** What a call says of its subscriber: each property that it gives, in the order in which they are looked at. */
function wantedOf(send: SingleSend): { name: string; wanted: Wanted }[] {
  const { subscriberId, subscriberSHA256: sha256, subscriberMD5: md5, clientId } = send;
  for (const [name, digits, value] of [
    ['subscriberSHA256', 64, sha256],
    ['subscriberMD5', 32, md5],
  ] as const)
    if (value && !new RegExp(`^[0-9a-f]{${digits}}$`, 'i').test(value))
      throw invalid(`${name}: must be ${digits} hexadecimal digits`);
  const given: readonly (readonly [string, Wanted['kind'], string])[] = [
    ['subscriberSHA256', 'SHA2_256', sha256 ?? ''],
    ['subscriberMD5', 'MD5', md5 ?? ''],
    ['subscriberId', 'id', subscriberId ? String(subscriberId) : ''],
    ['clientId', 'client', clientId ? String(clientId) : ''],
  ];
  const named = given.filter(([, , value]) => value !== '');
  if (named.length === 0)
    throw invalid(
      'subscriberId: must name a subscriber; or give subscriberSHA256, subscriberMD5 or clientId',
    );
  return named.map(([name, kind, value], n) => ({ name, wanted: { kind, values: [value], positions: [n] } }));
}

/**
 * The subscriber of a call, who may get the message.
 * @throws 404 for nobody, 422 when the properties name several, or the subscriber is not eligible
 */
export async function readerOf(
  db: SiteDb,
  send: SingleSend,
  { isTransactional }: SingleVersion,
): Promise<number> {
  const named = wantedOf(send);
  return withFieldSet(db, async (set) => {
    checkFields(send, (id) => set.byId.has(id));
    const fields = [set.byId.get(7)!, set.byId.get(44)!];
    const wanted = named.map((one) => one.wanted);
    const found = await findSubscribers(db, wanted, set, fields);
    if (!found) return undefined;
    const first = found.get(0);
    if (!first) throw notFound('Subscriber', named[0]!.name);
    named.forEach(({ name }, n) => {
      if (found.get(n)?.fld0 === first.fld0) return;
      throw refused(
        `${name}: names another subscriber than ${named[0]!.name}; give properties of one subscriber`,
      );
    });
    checkEligible(Number(first.fld7), Number(first.fld44), isTransactional);
    return Number(first.fld0);
  });
}

function checkEligible(status: number, delivery: number, isTransactional: boolean): void {
  if (delivery === deliveryState.hardBounced)
    throw refused("subscriberId: the subscriber's mailbox does not exist; correct the address first");
  if (delivery === deliveryState.complained)
    throw refused('subscriberId: the subscriber has complained about your messages and gets no more of them');
  if (status !== 0 && !isTransactional)
    throw refused(
      'subscriberId: the subscriber has unsubscribed; only campaigns of type Transac can be sent to them',
    );
}

function checkFields({ idFields }: SingleSend, isKnown: (id: number) => boolean): void {
  for (const [n, id] of (idFields ?? []).entries())
    if (!isKnown(id)) throw invalid(`idFields[${n}]: there is no field ${id}; list fields of the site`);
}

/** @throws 422 for a message that shows fields which the call does not list, or data that it does not give */
export function checkNeeds(
  { fields, data }: MessageNeeds,
  send: SingleSend,
  given: ReadonlyMap<string, string>,
): void {
  const listed = new Set(send.idFields ?? usualFields);
  const hidden = fields.filter((id) => !listed.has(id));
  if (hidden.length > 0)
    throw refused(
      `idFields: the message shows the fields ${hidden.join(', ')}, which are not listed; add them`,
    );
  const missing = data.filter((name) => !given.has(name));
  if (missing.length > 0)
    throw refused(
      `emailData: the message shows ${missing.map((name) => `'${name}'`).join(', ')}; give a value of each`,
    );
}
