import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { type Field, fieldIds, fieldName, useFieldText } from './fields.ts';
import { fieldValue, type Subscriber } from './subscriber.ts';
import { useHistory } from './timeline.tsx';

/** The fields that the card shows, with those that say more about them. */
const ids = {
  ...{ first: 2, last: 3, unsubscribed: 4, firstOrigin: 5, lastOrigin: 6 },
  ...{ partners: 8, partnersSince: 10, deliverySince: 45 },
} as const;
/** The date of a field and the event that it comes from differ by less. */
const sameMomentMs = 60_000;

/** Since when a person is unsubscribed, and by what if a message led to it; undefined for a subscribed one. */
function useUnsubscription(person: Subscriber) {
  const texts = useWords().words.subscribers;
  const history = useHistory(person);
  if (Number(fieldValue(person, fieldIds.status)) === 0) return undefined;
  const value = fieldValue(person, ids.unsubscribed);
  const at = typeof value === 'string' ? value : undefined;
  const last = history.data?.pages[0]?.events.find(({ type }) => type === 'Unsubscription');
  // An import or another call may have unsubscribed them since: the last event is then not the cause.
  const isCause = last && at && Math.abs(Date.parse(last.at) - Date.parse(at)) < sameMomentMs;
  if (!isCause) return { at, how: undefined };
  const campaign = last.campaignName ? ` (${last.campaignName})` : '';
  return { at, how: `${texts.history.unsubscription[last.origin ?? 'api']}${campaign}` };
}

/** Says since when a person gets nothing, and by what they unsubscribed if a message led to it. */
export function Unsubscribed({ person }: { readonly person: Subscriber }) {
  const { words, format } = useWords();
  const texts = words.subscribers;
  const unsubscription = useUnsubscription(person);
  if (!unsubscription) return null;
  const { at, how } = unsubscription;
  return (
    <p className="note amber">
      {texts.isUnsubscribed} {at && texts.unsubscribedSince(format.moment(at))}
      {how && ` ${how}.`}
    </p>
  );
}

interface SubscriptionProps {
  readonly person: Subscriber;
  readonly fields: readonly Field[];
}

/** The subscription of a person: whether they are subscribed and reachable, since when and by what. */
export function Subscription({ person, fields }: SubscriptionProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  const say = useFieldText();
  const unsubscription = useUnsubscription(person);
  const textOf = (id: number): string => {
    const field = fields.find((one) => one.id === id);
    return field ? say(field, fieldValue(person, id)) : '';
  };
  const row = (id: number, ...more: readonly string[]): ReactNode => {
    const field = fields.find((one) => one.id === id);
    if (!field) return null;
    const [text, ...details] = [textOf(id), ...more].filter((one) => one !== '');
    return (
      <li key={id}>
        <span className="small text-2 value">{fieldName(words, field)}</span>
        <div className="value">
          {text === undefined ? <span className="text-3">{texts.none}</span> : <bdi>{text}</bdi>}
          {details.map((detail) => (
            <p key={detail} className="small text-2">
              <bdi>{detail}</bdi>
            </p>
          ))}
        </div>
      </li>
    );
  };
  const since = (id: number) => (textOf(id) === '' ? '' : texts.since(textOf(id)));
  return (
    <section className="card">
      <h2 className="card-head">{texts.status}</h2>
      <ul className="field-list">
        {row(
          fieldIds.status,
          since(unsubscription ? ids.unsubscribed : ids.last),
          unsubscription ? (unsubscription.how ?? '') : textOf(ids.lastOrigin),
        )}
        {row(ids.first, textOf(ids.firstOrigin))}
        {/* Of a subscribed person, the first row has it. */}
        {unsubscription && row(ids.last, textOf(ids.lastOrigin))}
        {row(ids.partners, since(ids.partnersSince))}
        {row(fieldIds.delivery, since(ids.deliverySince))}
      </ul>
    </section>
  );
}
