import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Empty } from '../parts/states.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { lazyWords } from '../words/lazy.ts';
import { useWords } from '../words/words.tsx';
import type { AuditSearch } from './routes.ts';
import { SettingsPage } from './settings-page.tsx';
import { useUsers } from './users-screen.tsx';
import { Verdict } from './verdict.tsx';

type Entry = components['schemas']['AuditEntry'];

const route = getRouteApi('/$site/settings/audit');
const dayMs = 86_400_000;

const useAuditWords = lazyWords({
  en: async () => (await import('../words/en/audit.ts')).audit,
  fr: async () => (await import('../words/fr/audit.ts')).audit,
});

/** Who changed what, and when; the newest first. */
export function AuditScreen() {
  const texts = useAuditWords();
  const { isAdministrator } = useMe();
  const { user, operation, onSite, days } = route.useSearch();
  // The beginning of the period stays while the pages are read.
  const from = useMemo(
    () => (days === undefined ? undefined : new Date(Date.now() - days * dayMs).toISOString()),
    [days],
  );
  const query = {
    ...(user !== undefined && { idUser: user }),
    ...(operation !== undefined && { operation }),
    ...(onSite !== undefined && { site: onSite }),
    ...(from !== undefined && { from }),
  };
  const log = useInfiniteQuery({
    queryKey: ['audit', query],
    enabled: isAdministrator,
    initialPageParam: '',
    queryFn: ({ pageParam: before }) =>
      dataOf(
        api.GET('/admin/v1/audit-entries', {
          params: { query: { ...query, ...(before !== '' && { before }) } },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const isFiltered = Object.keys(query).length > 0;
  return (
    <SettingsPage section="audit" query={log} above={<Filters />}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries);
        return (
          <>
            <section className="card flush">
              {entries.length === 0 ? (
                <Empty title={isFiltered ? texts.nothing : texts.empty} />
              ) : (
                <EntryTable entries={entries} />
              )}
            </section>
            {log.hasNextPage && (
              <div>
                <Button loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                  {texts.more}
                </Button>
              </div>
            )}
          </>
        );
      }}
    </SettingsPage>
  );
}

/** The filters, which the address of the screen has. */
function Filters() {
  const texts = useAuditWords();
  const me = useMe();
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const users = useUsers().data ?? [];
  const go = (next: Partial<Record<keyof AuditSearch, string | number | undefined>>) =>
    void navigate({
      to: '/$site/settings/audit',
      params: { site: site.name },
      search: { ...search, ...next } as AuditSearch,
      replace: true,
    });
  return (
    <div className="row" style={{ flexWrap: 'wrap' }}>
      <Filter
        label={texts.filters.user}
        all={texts.all.user}
        value={search.user}
        choose={(user) => go({ user: user === undefined ? undefined : Number(user) })}
      >
        {users.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Filter>
      <Filter
        label={texts.filters.operation}
        all={texts.all.operation}
        value={search.operation}
        choose={(operation) => go({ operation })}
      >
        {Object.entries(texts.areas).map(([id, { title, acts }]) => (
          <optgroup key={id} label={title}>
            {Object.entries(acts).map(([act, text]) => (
              <option key={act} value={act}>
                {text}
              </option>
            ))}
          </optgroup>
        ))}
      </Filter>
      <Filter
        label={texts.filters.site}
        all={texts.all.site}
        value={search.onSite}
        choose={(onSite) => go({ onSite })}
      >
        {me.sites.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Filter>
      <Filter
        label={texts.filters.period}
        all={texts.all.period}
        value={search.days}
        choose={(days) => go({ days: days === undefined ? undefined : Number(days) })}
      >
        {Object.entries(texts.periods).map(([days, text]) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </Filter>
    </div>
  );
}

function Filter({ label, all, value, choose, children }: FilterProps) {
  return (
    <NativeSelect
      style={{ flex: '1 1 140px', maxWidth: 260 }}
      label={label}
      value={value ?? ''}
      onChange={(event) => choose(event.currentTarget.value || undefined)}
    >
      <option value="">{all}</option>
      {children}
    </NativeSelect>
  );
}
interface FilterProps {
  readonly label: string;
  /** The words of the choice that filters nothing. */
  readonly all: string;
  readonly value: string | number | undefined;
  readonly choose: (value: string | undefined) => void;
  /** The options. */
  readonly children: ReactNode;
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  const { format } = useWords();
  const { columns, ...texts } = useAuditWords();
  const acts = useMemo(
    () => Object.assign({}, ...Object.values(texts.areas).map((area) => area.acts)) as Record<string, string>,
    [texts.areas],
  );
  return (
    <table className="table">
      <thead>
        <tr>
          {[columns.what, columns.when, columns.site, columns.result].map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className="title anywhere">
              <bdi className="strong">{entry.userName ?? texts.formerUser(entry.idUser)}</bdi>
              {isRefused(entry) && texts.without}{' '}
              {acts[entry.operation] ?? texts.calledOperation(entry.operation)}
              <p className="small text-3">
                {[
                  ...Object.entries(entry.ids).map(([name, id]) => `${name} ${id}`),
                  ...(entry.idToken === null ? [] : [texts.byToken(entry.idToken)]),
                  ...(entry.address === null ? [] : [texts.from(entry.address)]),
                ].join(', ')}
              </p>
            </td>
            <td className="text-2">
              {format.day(entry.date)}, {format.timeWithSeconds(entry.date)}
            </td>
            <td className="text-2">
              <bdi>{entry.site ?? '–'}</bdi>
            </td>
            <td>
              <Result status={entry.status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isRefused = ({ status }: Entry) => status >= 400 && status < 500;

function Result({ status }: { readonly status: number }) {
  const texts = useAuditWords();
  if (status < 400) return <Verdict colour="green" text={texts.done} />;
  if (status < 500) return <Verdict colour="amber" text={texts.refused(status)} />;
  return <Verdict colour="red" text={texts.failed(status)} />;
}
