import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { addPeople } from '../overview/add-people.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DraftNote } from '../parts/draft-note.tsx';
import { LimitedBy } from '../parts/limited-by.tsx';
import { SearchField, useCurrentRow } from '../parts/list.tsx';
import { Opened } from '../parts/opened.tsx';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { countQuery } from './count-query.ts';
import { DeliveryState, SubscriptionState } from './delivery-state.tsx';
import { useFields } from './fields.ts';
import { type ListedFields, listedFields } from './listed-fields.ts';
import { type SubscriberState, states } from './states.ts';
import { addressOf, fieldValue, type Subscriber } from './subscriber.ts';
import './subscribers.css';

const route = getRouteApi('/$site/subscribers');
const shownFields = [1, 3, 7, 44];

/**
 * Pages of the people who have the text in a field; without a text all of them, because every address has an @.
 * @param state only people in this state
 * @param listed the fields of name and city; undefined while they load
 */
function useFound(
  search: string | undefined,
  state: SubscriberState | undefined,
  listed: ListedFields | undefined,
) {
  const site = useSite();
  const own = listed ? [...listed.name, ...(listed.city ? [listed.city] : [])].map(({ id }) => id) : [];
  return useInfiniteQuery({
    queryKey: ['subscribers', site.name, 'found', search ?? '', state, own],
    enabled: listed !== undefined,
    placeholderData: keepPreviousData,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/subscribers/search', {
          params: {
            path: { idsite: site.name },
            query: {
              search: search ?? '@',
              ...(state && { state }),
              ...(pageParam !== undefined && { cursor: pageParam }),
              'filter.idFields': [...shownFields, ...own],
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** How many people the site has; of many, about how many. */
function Total() {
  const { words, format } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const { data } = useQuery(countQuery(site.name));
  if (!data) return texts.newest;
  const rounded = Number(data.count.toPrecision(3));
  return data.isEstimate
    ? texts.about(format.count(rounded))
    : texts.total(data.count, format.count(data.count));
}

interface StateChoiceProps {
  readonly value: SubscriberState | undefined;
  readonly choose: (state: SubscriberState | undefined) => void;
}

/** Limits the list to a state. */
function StateChoice({ value, choose }: StateChoiceProps) {
  const { inState } = useWords().words.subscribers;
  return (
    <NativeSelect
      aria-label={inState.label}
      value={value ?? ''}
      onChange={(event) => choose(states.find((one) => one === event.currentTarget.value))}
      data={[
        { value: '', label: inState.all },
        ...states.map((state) => ({ value: state, label: inState[state] })),
      ]}
    />
  );
}

/** All people of the site: search, pages, add one. */
export function SubscriberListScreen() {
  const { words } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const { search, state } = route.useSearch();
  const navigate = useNavigate();
  const fields = useFields();
  const listed = useMemo(() => fields.data && listedFields(fields.data), [fields.data]);
  const found = useFound(search, state, listed);
  const [added, setAdded] = useState<string>();
  const go = (text: string, to: SubscriberState | undefined) =>
    void navigate({
      to: '/$site/subscribers',
      params: { site: site.name },
      search: { ...(text !== '' && { search: text }), ...(to && { state: to }) },
      replace: true,
    });
  const people = useMemo(() => found.data?.pages.flatMap((page) => page.subscribers), [found.data]);
  const error = fields.error ?? found.error;
  const mayAdd = site.may('editor');
  return (
    <Page
      title={texts.title}
      actions={
        mayAdd && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setAdded('')}
          >
            {texts.add}
          </Button>
        )
      }
    >
      <div className="stack tight">
        <div className="row">
          <SearchField label={texts.search} text={search ?? ''} find={(text) => go(text, state)} />
          <StateChoice value={state} choose={(to) => go(search ?? '', to)} />
          <span className="small text-3">
            {search === undefined && state === undefined ? <Total /> : texts.newest}
          </span>
        </div>
        <section className="card flush" data-reloading={found.isPlaceholderData || undefined}>
          {error && !people && (
            <Failed error={error} retry={() => void (fields.error ? fields.refetch() : found.refetch())} />
          )}
          {found.isPending && !error && <Loading rows={12} />}
          {people && listed && people.length > 0 && <People people={people} listed={listed} />}
          {people?.length === 0 && search !== undefined && (
            <Empty title={texts.nothing(search)}>
              {state !== undefined && (
                <Opened>
                  <LimitedBy limit={texts.inState[state]} />
                </Opened>
              )}
              <div className="row">
                <Button onClick={() => go('', undefined)}>{texts.clear}</Button>
                {mayAdd && search.includes('@') && (
                  <Button onClick={() => setAdded(search)}>{texts.addThis(search)}</Button>
                )}
              </div>
            </Empty>
          )}
          {people?.length === 0 && search === undefined && state !== undefined && (
            <Empty title={texts.noneInState}>
              <Opened>
                <LimitedBy limit={texts.inState[state]} />
              </Opened>
              <Button onClick={() => go('', undefined)}>{texts.clear}</Button>
            </Empty>
          )}
          {people?.length === 0 && search === undefined && state === undefined && (
            <Empty title={texts.empty} text={texts.emptyText}>
              {mayAdd && <Button onClick={() => setAdded('')}>{texts.first}</Button>}
            </Empty>
          )}
        </section>
        {found.hasNextPage && (
          <div>
            <Button loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              {texts.more}
            </Button>
          </div>
        )}
      </div>
      {added !== undefined && <AddDialog first={added} close={() => setAdded(undefined)} />}
    </Page>
  );
}

interface PeopleProps {
  readonly people: readonly Subscriber[];
  readonly listed: ListedFields;
}

function People({ people, listed }: PeopleProps) {
  const { words, format } = useWords();
  const { columns } = words.subscribers;
  const site = useSite();
  const navigate = useNavigate();
  const paramsOf = ({ id }: Subscriber) => ({ site: site.name, idSubscriber: String(id) });
  const current = useCurrentRow(people, (one) => {
    void navigate({ to: '/$site/subscribers/$idSubscriber', params: paramsOf(one) });
  });
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.address}</th>
          {listed.name.length > 0 && <th>{columns.name}</th>}
          {listed.city && <th>{columns.city}</th>}
          <th>{columns.status}</th>
          <th>{columns.delivery}</th>
          <th>{columns.since}</th>
        </tr>
      </thead>
      <tbody>
        {people.map((person, index) => {
          const since = fieldValue(person, 3);
          return (
            <tr key={person.id} data-current={index === current || undefined}>
              <td className="title">
                <Link
                  className="strong"
                  style={{ overflowWrap: 'anywhere' }}
                  to="/$site/subscribers/$idSubscriber"
                  params={paramsOf(person)}
                >
                  <bdi>{addressOf(person)}</bdi>
                </Link>
              </td>
              {listed.name.length > 0 && (
                <OwnCell texts={listed.name.map(({ id }) => fieldValue(person, id))} />
              )}
              {listed.city && <OwnCell texts={[fieldValue(person, listed.city.id)]} />}
              <td>
                <SubscriptionState subscriber={person} />
              </td>
              <td>
                <DeliveryState subscriber={person} />
              </td>
              <td className="text-2 wide since">{since ? format.day(String(since)) : '–'}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What the site knows about a person, cut to the width of its column. */
function OwnCell({ texts }: { readonly texts: readonly unknown[] }) {
  const text = texts.filter((one) => one !== null && one !== '').join(' ');
  return (
    <td className="own" title={text}>
      <bdi>{text}</bdi>
    </td>
  );
}

/** Asks for an address, subscribes it, and opens the person. */
function AddDialog({ first, close }: { readonly first: string; readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.subscribers;
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const draft = useFormDraft('person');
  const [address, setAddress] = draft.field('address', first);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const given = address.trim();
    if (!given.includes('@')) return setError(texts.noAddress);
    setBusy(true);
    try {
      await addPeople(site.name, [given], texts.origin);
      await queries.invalidateQueries({ queryKey: ['subscribers', site.name] });
      toast({ text: texts.added(given) });
      leave();
      await navigate({ to: '/$site/subscribers', params: { site: site.name }, search: {} });
    } catch (failure) {
      const isWrong = failure instanceof ApiError && failure.status === 400;
      setError(isWrong ? words.errors.rules.email('') : refusal(failure));
    } finally {
      setBusy(false);
    }
  };
  const leave = () => {
    draft.forget();
    close();
  };
  return (
    <Dialog close={leave} back={close} title={texts.add}>
      <form className="stack tight" onSubmit={(event) => void add(event)} noValidate>
        {draft.isRestored && <DraftNote discard={draft.discard} />}
        <TextInput
          data-autofocus
          type="email"
          label={texts.address}
          value={address}
          maxLength={254}
          error={error || undefined}
          onChange={(event) => {
            setAddress(event.currentTarget.value);
            setError('');
          }}
        />
        <p className="small text-2">{texts.addText}</p>
        <div className="row">
          <Button type="submit" variant="filled" loading={isBusy}>
            {texts.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
