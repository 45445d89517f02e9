import { Button } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { isForbidden, isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { dayOf } from '../campaigns/calendar-days.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { SearchField, useCurrentRow } from '../parts/list.tsx';
import { MessageFrame } from '../parts/message-frame.tsx';
import { Empty, Failed, Loading, NoRight, Page } from '../parts/states.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { readMessage } from './read-message.ts';
import './mailbox.css';

const route = getRouteApi('/$site/mailbox');
const pageSize = 50;
const liveMs = 3_000;

function useMessages(to: string | undefined) {
  const { isAdministrator } = useMe();
  return useInfiniteQuery({
    enabled: isAdministrator,
    queryKey: ['mailbox', to],
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/admin/v1/mailbox', {
          params: {
            query: {
              ...(to && { 'filter.rcptTo': to }),
              'filter.start': pageParam,
              'filter.limit': pageSize,
            },
          },
        }),
      ),
    getNextPageParam: ({ start, items, totalCount }) =>
      start + items.length < totalCount ? start + items.length : undefined,
    // On another port it stays out of reach.
    refetchInterval: ({ state }) => (isNotFound(state.error) ? false : liveMs),
  });
}

type Message = NonNullable<ReturnType<typeof useMessages>['data']>['pages'][number]['items'][number];

/** Messages that the built-in mailbox caught, beside the one that is open. */
export function MailboxScreen() {
  const { words } = useWords();
  const { isAdministrator } = useMe();
  const site = useSite();
  const { message, to } = route.useSearch();
  const messages = useMessages(to);
  const items = useMemo(() => messages.data?.pages.flatMap((page) => page.items) ?? [], [messages.data]);
  if (!isAdministrator || isForbidden(messages.error))
    return <NoRight text={words.rights.mailbox(site.name)} />;
  // The administration has a port of its own (FACTEUR_ADMIN_LISTEN), and this page was opened on the other one.
  if (isNotFound(messages.error))
    return (
      <Page title={words.mailbox.title}>
        <section className="card">
          <Empty title={words.mailbox.elsewhere} text={words.mailbox.elsewhereText} />
        </section>
      </Page>
    );
  return (
    <Page title={words.mailbox.title} sub={words.mailbox.text}>
      <div className="card mailbox" data-open={message !== undefined || undefined}>
        <div className="mailbox-list">
          <RecipientField to={to ?? ''} />
          {messages.error && !messages.data && (
            <Failed error={messages.error} retry={() => void messages.refetch()} />
          )}
          {messages.isPending && <Loading />}
          {messages.data && <MessageList items={items} to={to} open={message} />}
          {messages.hasNextPage && (
            <Button m={12} size="xs" onClick={() => void messages.fetchNextPage()}>
              {words.mailbox.more}
            </Button>
          )}
        </div>
        <section className="mailbox-message" aria-live="polite">
          {message === undefined ? (
            <p className="small text-3" style={{ padding: 24 }}>
              {words.mailbox.choose}
            </p>
          ) : (
            <OpenMessage key={message} id={message} />
          )}
        </section>
      </div>
    </Page>
  );
}

function RecipientField({ to }: { readonly to: string }) {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const find = (text: string) =>
    void navigate({
      to: '/$site/mailbox',
      params: { site: site.name },
      search: text === '' ? {} : { to: text },
      replace: true,
    });
  return (
    <div className="row" style={{ padding: 12 }}>
      <SearchField label={words.mailbox.to} text={to} find={find} />
    </div>
  );
}

function MessageList({ items, to, open }: MessageListProps) {
  const { words, format } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const searchOf = ({ id }: Message) => ({ ...(to && { to }), message: id });
  const current = useCurrentRow(
    items,
    (item) => void navigate({ to: '/$site/mailbox', params: { site: site.name }, search: searchOf(item) }),
  );
  const today = dayOf(Date.now());
  if (items.length === 0)
    return to ? (
      <Empty title={words.mailbox.nothing(to)}>
        <LinkButton to="/$site/mailbox" params={{ site: site.name }} search={{}}>
          {words.mailbox.all}
        </LinkButton>
      </Empty>
    ) : (
      <Empty title={words.mailbox.empty} text={words.mailbox.emptyText} />
    );
  return (
    <ul>
      {items.map((item, index) => (
        <li key={item.id}>
          <Link
            className="mailbox-entry"
            to="/$site/mailbox"
            params={{ site: site.name }}
            search={searchOf(item)}
            aria-current={item.id === open || undefined}
            data-current={index === current || undefined}
          >
            <span className="row" style={{ flexWrap: 'nowrap', justifyContent: 'space-between' }}>
              <span className="cut strong">{item.subject || words.mailbox.noSubject}</span>
              <span className="label text-3" style={{ whiteSpace: 'nowrap' }}>
                {dayOf(item.receivedAt) === today
                  ? format.time(item.receivedAt)
                  : format.moment(item.receivedAt)}
              </span>
            </span>
            <span className="small text-2 cut" style={{ display: 'block' }}>
              {item.rcptTo}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
interface MessageListProps {
  readonly items: readonly Message[];
  readonly to: string | undefined;
  readonly open: number | undefined;
}

const views = ['html', 'text', 'headers', 'source'] as const;

function OpenMessage({ id }: { readonly id: number }) {
  const { words, format } = useWords();
  const site = useSite();
  const { to } = route.useSearch();
  const [view, setView] = useState<(typeof views)[number]>('html');
  const [showsPictures, setShowsPictures] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['mailbox-message', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      readMessage(
        (await dataOf(api.GET('/admin/v1/mailbox/{idMessage}', { params: { path: { idMessage: id } } }))).raw,
      ),
  });
  if (isNotFound(error)) return <Empty title={words.mailbox.gone} />;
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      <div className="mailbox-head">
        <Link
          className="mailbox-back link small"
          to="/$site/mailbox"
          params={{ site: site.name }}
          search={to ? { to } : {}}
        >
          <IconArrowLeft size={16} aria-hidden /> {words.mailbox.back}
        </Link>
        <h2 style={{ fontSize: 16, lineHeight: '24px' }}>{data.subject || words.mailbox.noSubject}</h2>
        <p className="small text-2">
          {words.mailbox.from} {data.from} {words.mailbox.sentTo} {data.to}
          {data.date && ` · ${format.moment(data.date)}`}
        </p>
        <div className="row">
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
          <div className="segments" role="group" aria-label={words.mailbox.view}>
            {views.map((one) => (
              <button key={one} type="button" aria-pressed={one === view} onClick={() => setView(one)}>
                {words.mailbox.views[one]}
              </button>
            ))}
          </div>
          {view === 'html' && data.html && !showsPictures && (
            <Button size="xs" title={words.mailbox.picturesText} onClick={() => setShowsPictures(true)}>
              {words.mailbox.pictures}
            </Button>
          )}
        </div>
      </div>
      {view === 'html' &&
        (data.html ? (
          <MessageFrame
            title={words.mailbox.message(data.subject)}
            html={data.html}
            showsPictures={showsPictures}
          />
        ) : (
          <Empty title={words.mailbox.noHtml} />
        ))}
      {view === 'text' &&
        (data.text ? (
          <pre className="mailbox-text">{data.text}</pre>
        ) : (
          <Empty title={words.mailbox.noText} />
        ))}
      {view === 'headers' && (
        <dl className="mailbox-headers mono">
          {data.headers.map(({ key, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: headers repeat and never move
            <div key={`${index} ${key}`}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {view === 'source' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre className="mailbox-text mono" tabIndex={0}>
          {data.raw}
        </pre>
      )}
    </>
  );
}
