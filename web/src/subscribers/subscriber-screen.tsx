import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { DeliveryState, SubscriptionState } from './delivery-state.tsx';
import { FieldList } from './field-list.tsx';
import { type Field, fieldIds, fieldName, useFields } from './fields.ts';
import { InTargets } from './in-targets.tsx';
import { ArchiveDialog, ConsentDialog, EraseDialog } from './person-dialogs.tsx';
import { addressOf, fieldValue, isCorrectable, type Subscriber } from './subscriber.ts';
import { Subscription, Unsubscribed } from './subscription.tsx';
import { Timeline } from './timeline.tsx';
import { Year } from './year.tsx';
import './subscribers.css';

const route = getRouteApi('/$site/subscribers/$idSubscriber');
/** Fields that the parts above the list of fields show. */
const shownElsewhere: ReadonlySet<number> = new Set([0, 2, 3, 4, 5, 6, 7, 8, 10, 44, 45]);
const dateOfUnsubscription = 4;

/** One person: fields, subscription, what happened. */
export function SubscriberScreen() {
  const { words } = useWords();
  const site = useSite();
  const { idSubscriber: given } = route.useParams();
  const fields = useFields();
  const person = useQuery({
    queryKey: ['subscribers', site.name, 'one', given],
    enabled: /^[1-9]\d{0,8}$/.test(given),
    queryFn: async () => {
      const params = {
        path: { idsite: site.name },
        query: { 'filter.by': 'IdSubscriber' as const, 'filter.values': [given] },
      };
      const [found] = await dataOf(api.GET('/v1/{idsite}/subscribers', { params }));
      if (found) return { subscriber: found, isArchived: false };
      const [archived] = await dataOf(api.GET('/v1/{idsite}/subscribers/archived', { params }));
      return archived ? { subscriber: archived, isArchived: true } : null;
    },
  });
  const error = person.error ?? fields.error;
  // What is edited stays on the screen when a later read fails.
  if (error && !(person.data && fields.data))
    return (
      <Page title={words.subscribers.title}>
        <section className="card">
          <Failed error={error} retry={() => void Promise.all([person.refetch(), fields.refetch()])} />
        </section>
      </Page>
    );
  if (person.data === null || !/^[1-9]\d{0,8}$/.test(given))
    return <NotFound text={words.subscribers.notFound(given, site.name)} />;
  if (!person.data || !fields.data)
    return (
      <Page title={words.subscribers.title}>
        <Loading />
      </Page>
    );
  const { subscriber, isArchived } = person.data;
  return <Person key={given} person={subscriber} fields={fields.data} isArchived={isArchived} />;
}

/** What can be done with a person; each reads them again. */
function useActions(person: Subscriber) {
  const { words } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const params = { path: { idsite: site.name } };
  const address = addressOf(person);
  const reload = () => queries.invalidateQueries({ queryKey: ['subscribers', site.name] });
  const leave = () => navigate({ to: '/$site/subscribers', params: { site: site.name }, search: {} });
  const failed = (error: unknown) => toast({ text: refusal(error) });
  const write = async (values: readonly { idField: number; value: unknown }[]) => {
    await dataOf(
      api.PUT('/v1/{idsite}/subscribers', { params, body: [{ id: person.id, fields: [...values] }] }),
    );
    await reload();
  };
  return {
    write,
    failed,
    unsubscribe: async () => {
      try {
        await dataOf(
          api.POST('/v1/{idsite}/subscribers/unsubscribe', { params, body: [{ idSubscriber: person.id }] }),
        );
        await reload();
        // The values as they were, so that nothing of the mistake remains with the person.
        const before = [fieldIds.status, dateOfUnsubscription].map((idField) => ({
          idField,
          value: fieldValue(person, idField),
        }));
        toast({
          text: texts.unsubscribed(address),
          seconds: 10,
          undo: () => write(before).catch(failed),
        });
      } catch (error) {
        failed(error);
      }
    },
    resubscribe: async (lastOrigin: string) => {
      const body = [{ idSubscriber: person.id, lastOrigin }];
      await dataOf(api.POST('/v1/{idsite}/subscribers/resubscribe', { params, body }));
      await reload();
      toast({ text: texts.resubscribed(address) });
    },
    archive: async () => {
      await dataOf(api.DELETE('/v1/{idsite}/subscribers', { params, body: [person.id] }));
      await reload();
      toast({ text: texts.archived(address) });
      await leave();
    },
    erase: async () => {
      const path = { ...params.path, idSubscriber: person.id };
      await dataOf(api.POST('/v1/{idsite}/subscribers/{idSubscriber}/erase', { params: { path } }));
      toast({ text: texts.erased(address) });
      await leave();
      // Nothing of the person stays in this tab either.
      queries.removeQueries({ queryKey: ['subscribers', site.name, 'one', String(person.id)] });
      queries.removeQueries({ queryKey: ['subscribers', site.name, 'changes', person.id] });
      await reload();
    },
  };
}

interface PersonProps {
  readonly person: Subscriber;
  readonly fields: readonly Field[];
  /** They are read only. */
  readonly isArchived: boolean;
}

function Person({ person, fields, isArchived }: PersonProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const mayEdit = site.may('editor') && !isArchived;
  useEditKey(mayEdit);
  const mayErase = site.may('admin');
  const { write, failed, unsubscribe, resubscribe, archive, erase } = useActions(person);
  const [asks, setAsks] = useState<'consent' | 'archive' | 'erase'>();
  const isSubscribed = Number(fieldValue(person, fieldIds.status)) === 0;
  const isReachable = Number(fieldValue(person, fieldIds.delivery)) < 2;
  const save = async (field: Field, value: unknown) => {
    const before = fieldValue(person, field.id);
    await write([{ idField: field.id, value }]);
    toast({
      text: texts.saved(fieldName(words, field)),
      seconds: 10,
      undo: () => write([{ idField: field.id, value: before }]).catch(failed),
    });
  };
  return (
    <Page
      title={addressOf(person)}
      thingOf="subscribers"
      sub={
        <>
          <SubscriptionState subscriber={person} />
          <DeliveryState subscriber={person} />
        </>
      }
      actions={
        (mayEdit || mayErase) && (
          <>
            {mayEdit &&
              (isSubscribed ? (
                <Button onClick={() => void unsubscribe()}>{texts.unsubscribe}</Button>
              ) : (
                <Button onClick={() => setAsks('consent')}>{texts.resubscribe}</Button>
              ))}
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="default" aria-label={words.shell.more} title={words.shell.more}>
                  <IconDots size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {mayEdit && <Menu.Item onClick={() => setAsks('archive')}>{texts.archive}</Menu.Item>}
                {mayErase && (
                  <Menu.Item className="red" onClick={() => setAsks('erase')}>
                    {texts.erase}
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    >
      {isArchived && <p className="note">{texts.isArchived}</p>}
      <Unsubscribed person={person} />
      {!isReachable && (
        <p className="note red">
          {texts.isUnreachable}{' '}
          {words.fields.codes[fieldIds.delivery]?.[Number(fieldValue(person, fieldIds.delivery))]}
        </p>
      )}
      <Year person={person} />
      <div className="columns">
        <Timeline person={person} fields={fields} />
        <div className="stack tight">
          <section className="card">
            <div className="card-head">
              <h2>{texts.fields}</h2>
              {mayEdit && <span className="small text-3">{texts.editHint}</span>}
            </div>
            <FieldList
              subscriber={person}
              fields={fields
                .filter(({ id }) => !shownElsewhere.has(id))
                .sort((a, b) => Number(isCorrectable(b)) - Number(isCorrectable(a)))}
              mayEdit={mayEdit}
              save={save}
            />
          </section>
          <Subscription person={person} fields={fields} />
          {!isArchived && <InTargets person={person} />}
        </div>
      </div>
      {asks === 'consent' && <ConsentDialog close={() => setAsks(undefined)} resubscribe={resubscribe} />}
      {asks === 'archive' && (
        <ArchiveDialog person={person} close={() => setAsks(undefined)} archive={archive} />
      )}
      {asks === 'erase' && <EraseDialog person={person} close={() => setAsks(undefined)} erase={erase} />}
    </Page>
  );
}

/** The key E edits the first field. */
function useEditKey(mayEdit: boolean): void {
  const { words } = useWords();
  const shortcuts = useMemo(
    () =>
      mayEdit
        ? [
            {
              keys: 'e',
              label: words.subscribers.editFields,
              run: () => document.querySelector<HTMLElement>('.field-list .edit')?.click(),
            },
          ]
        : [],
    [mayEdit, words],
  );
  useShortcuts(shortcuts);
}
