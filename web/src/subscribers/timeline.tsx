import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import type { Words } from '../words/words.tsx';
import { useWords } from '../words/words.tsx';
import { ChangeCause, ChangedValues, type FieldsChange, useChanges } from './field-changes.tsx';
import { type Field, fieldIds, useFieldText } from './fields.ts';
import { fieldValue, type Subscriber } from './subscriber.ts';

type SubscriberEvent = components['schemas']['SubscriberEvent'];

const dateOfUnsubscription = 4;

interface Item {
  readonly key: string;
  readonly at: string;
  readonly name: ReactNode;
  readonly detail: ReactNode;
}

/** The events of a person by page, the newest first. */
export function useHistory({ id }: Subscriber) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: ['subscribers', site.name, 'events', id],
    initialPageParam: '',
    queryFn: ({ pageParam: before }) =>
      dataOf(
        api.GET('/v1/{idsite}/subscribers/{idSubscriber}/events', {
          params: {
            path: { idsite: site.name, idSubscriber: id },
            query: before === '' ? {} : { before },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** When the oldest event that was read happened, if there are older ones. */
const oldestOf = (pages: { readonly hasNextPage: boolean }, list: readonly { readonly at: string }[]) =>
  pages.hasNextPage ? Date.parse(list.at(-1)?.at ?? '') || 0 : 0;

/**
 * The history of a person: their messages with the outcomes, the changes of their fields, and the dates in them; the
 * latest first. Events and changes are read page by page, so what is older than the oldest one of a page waits.
 */
export function Timeline({ person, fields }: TimelineProps) {
  const { words, format } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const history = useHistory(person);
  const changing = useChanges(person);
  const events = history.data?.pages.flatMap((page) => page.events) ?? [];
  const changes = changing.data?.pages.flatMap((page) => page.changes) ?? [];
  const [oldestEvent, oldestChange] = [oldestOf(history, events), oldestOf(changing, changes)];
  const oldest = Math.max(oldestEvent, oldestChange);
  const items = [
    ...events.map((event, i) => itemOf(words, site.name, event, i)),
    ...changes.map((change, i) => changeItem(change, i, fields)),
    ...useFieldItems(person, fields),
  ]
    .filter(({ at }) => Date.parse(at) >= oldest)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const later = oldestChange > oldestEvent ? changing : history;
  const failed = history.error ? history : changing;
  const isPending = history.isPending || changing.isPending;
  return (
    <section className="card">
      <h2 className="card-head">{texts.happened}</h2>
      {isPending && <Loading />}
      {failed.error && <Failed error={failed.error} retry={() => void failed.refetch()} />}
      {items.length === 0 && !isPending && <p className="card-body text-2">{texts.noEvents}</p>}
      <ul>
        {items.map(({ key, name, detail, at }, index) => {
          const day = format.day(at);
          const before = items[index - 1];
          return (
            <li key={key} className="event">
              {(!before || format.day(before.at) !== day) && <h3 className="small text-2">{day}</h3>}
              <span style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                {name} <bdi className="text-3">{detail}</bdi>
              </span>
              <span className="small text-2" style={{ whiteSpace: 'nowrap' }}>
                {format.time(at)}
              </span>
            </li>
          );
        })}
      </ul>
      {items.length > 0 && <p className="card-body text-3">{texts.history.programs}</p>}
      {later.hasNextPage && (
        <div className="card-body">
          <Button loading={later.isFetchingNextPage} onClick={() => void later.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
    </section>
  );
}
interface TimelineProps {
  readonly person: Subscriber;
  readonly fields: readonly Field[];
}

function itemOf(words: Words, site: string, event: SubscriberEvent, nr: number): Item {
  const texts = words.subscribers.history;
  const { at, type, state, bounce, reply, url, isMachine, origin, idCampaign, campaignName } = event;
  const name = {
    Message: () => texts.message[state ?? 'accepted'],
    Open: () => texts.open,
    Click: () => texts.click,
    Mirror: () => texts.mirror,
    UnsubscribePage: () => texts.unsubscribePage,
    Bounce: () => texts.bounce[bounce ?? 'soft'],
    AutoReply: () => texts.autoReply,
    Complaint: () => texts.complaint,
    Unsubscription: () => texts.unsubscription[origin ?? 'api'],
  }[type]();
  const details = [url, reply && texts.replied(reply), isMachine === true && texts.machine]
    .filter(Boolean)
    .join(' · ');
  const detail = (
    <>
      {idCampaign !== null && (
        <Link to="/$site/campaigns/$idCampaign" params={{ site, idCampaign: String(idCampaign) }}>
          {campaignName ?? idCampaign}
        </Link>
      )}
      {details !== '' && ` · ${details}`}
    </>
  );
  return { key: `${nr} ${type}`, at, name, detail };
}

function changeItem(change: FieldsChange, nr: number, fields: readonly Field[]): Item {
  return {
    ...{ key: `change ${nr}`, at: change.at },
    name: <ChangedValues change={change} fields={fields} />,
    detail: (
      <>
        · <ChangeCause change={change} />
      </>
    ),
  };
}

/** The events of a person's past that the fields record. */
function useFieldItems(person: Subscriber, fields: readonly Field[]): Item[] {
  const { words } = useWords();
  const texts = words.subscribers;
  const say = useFieldText();
  const textOf = (id: number) => {
    const field = fields.find((one) => one.id === id);
    return field ? say(field, fieldValue(person, id)) : '';
  };
  const origin = (id: number) => (textOf(id) === '' ? '' : texts.from(textOf(id)));
  const events = [
    { id: 2, name: texts.events.first, detail: origin(5) },
    { id: 3, name: texts.events.last, detail: origin(6) },
    { id: dateOfUnsubscription, name: texts.events.unsubscribed, detail: '' },
    { id: 10, name: texts.events.partners, detail: '' },
    { id: 45, name: texts.events.delivery, detail: textOf(fieldIds.delivery) },
  ];
  return events.flatMap(({ id, name, detail }) => {
    const at = fieldValue(person, id) as string | null;
    return at === null ? [] : [{ key: `field ${id}`, at, name, detail }];
  });
}
