import { Button, Drawer, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch, IconTarget } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { canBeTarget, type PeopleFigure, readPeople, targetOf } from './people-figure.ts';
import { useReportWords } from './report-words.ts';
import './report.css';

interface PeopleProps {
  readonly figure: PeopleFigure | undefined;
  readonly close: () => void;
}

const pageSize = 50;
/** While an address is searched for, whole pages of the service are read. */
const searchPageSize = 1_000;
const mostSearched = 20_000;

/** The people behind a figure: searchable, each leads to their profile, all of them to a target. */
export function People({ figure, close }: PeopleProps) {
  const { words } = useWords();
  const site = useSite();
  return (
    <Drawer
      opened={figure !== undefined}
      onClose={close}
      title={figure && <span className="anywhere">{figure.title}</span>}
      closeButtonProps={{ 'aria-label': words.shell.close }}
    >
      {figure && (
        <div className="stack tight">
          <PeopleList figure={figure} />
          {canBeTarget(figure) && site.may('editor') && <TargetForm figure={figure} close={close} />}
        </div>
      )}
    </Drawer>
  );
}

function usePeople({ source, idLink, idCampaign, ids }: PeopleFigure, isSearch: boolean) {
  const site = useSite();
  const limit = isSearch ? searchPageSize : pageSize;
  return useInfiniteQuery({
    // People of segments are read again after each change of the segments.
    queryKey: [
      ...(idCampaign === undefined ? ['people', site.name] : ['campaign', site.name, idCampaign, 'people']),
      ...[ids, source, idLink, limit],
    ],
    initialPageParam: { sending: 0, after: 0 },
    queryFn: ({ pageParam: { sending, after } }) =>
      ids[sending] === undefined
        ? []
        : readPeople(site.name, {
            ...{ source, idSent: ids[sending], after, limit },
            ...(idLink !== undefined && { idLink }),
            ...(idCampaign !== undefined && { idCampaign }),
          }),
    // A short page is the last one of its sending; the next sending follows.
    getNextPageParam: (page, _pages, { sending }) => {
      if (page.length === limit) return { sending, after: page.at(-1)!.idSubscriber };
      return sending + 1 < ids.length ? { sending: sending + 1, after: 0 } : undefined;
    },
  });
}

function PeopleList({ figure }: { readonly figure: PeopleFigure }) {
  const { format } = useWords();
  const report = useReportWords();
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim().toLowerCase(), 150);
  const isSearch = text !== '';
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePeople(
    figure,
    isSearch,
  );
  const read = data?.pages.flat() ?? [];
  // A page of a sending with few such people is short; those of the next ones fill it.
  const isShort = read.length < (isSearch ? mostSearched : pageSize);
  const wantsMore = isShort && hasNextPage;
  useEffect(() => {
    if (wantsMore && !isFetchingNextPage) void fetchNextPage();
  }, [wantsMore, isFetchingNextPage, fetchNextPage]);
  const found = isSearch ? read.filter(({ email }) => email?.toLowerCase().includes(text)) : read;
  const isLoading = isPending || wantsMore;
  return (
    <div>
      <TextInput
        type="search"
        aria-label={report.find}
        placeholder={report.find}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {error && <Failed error={error} retry={() => void refetch()} />}
      <ul className="people">
        {found.map(({ idSubscriber, email, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one person may be in two sendings, and the list only grows
          <li key={`${idSubscriber} ${index}`}>
            <Person idSubscriber={idSubscriber} email={email} reason={reason} />
          </li>
        ))}
      </ul>
      {isLoading && !error && <Loading rows={2} />}
      {!isLoading && !error && found.length === 0 && (
        <Empty title={isSearch ? report.noneFound(typed.trim()) : report.noPeople} />
      )}
      {isSearch && !isLoading && hasNextPage && (
        <p className="label text-3">{report.searchedFirst(format.count(read.length))}</p>
      )}
      {!isSearch && !isLoading && hasNextPage && (
        <Button mt={12} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {report.more}
        </Button>
      )}
    </div>
  );
}

interface PersonProps {
  readonly idSubscriber: number;
  readonly email: string | null;
  readonly reason: string | undefined;
}

function Person({ idSubscriber, email, reason }: PersonProps) {
  const report = useReportWords();
  const site = useSite();
  return (
    <>
      <span>
        {email === null ? (
          <span className="text-3">{report.erased}</span>
        ) : (
          <Link
            className="link"
            to="/$site/subscribers/$idSubscriber"
            params={{ site: site.name, idSubscriber: String(idSubscriber) }}
          >
            <bdi>{email}</bdi>
          </Link>
        )}
        {reason && <span className="label text-3 people-reason">{reason}</span>}
      </span>
      <span className="label text-3">{idSubscriber}</span>
    </>
  );
}

/** Asks for a name, and makes a target of the people. */
function TargetForm({ figure, close }: { readonly figure: PeopleFigure; readonly close: () => void }) {
  const { words, format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      const { count } = await targetOf(site.name, name.trim(), figure);
      await queries.invalidateQueries({ queryKey: ['targets', site.name] });
      const people = words.campaigns.people(format.count(count), count === 1);
      toast({ text: report.targetMade(name.trim(), people), seconds: 10 });
      close();
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  if (!isOpen)
    return (
      <div>
        <Button leftSection={<IconTarget size={16} aria-hidden />} onClick={() => setOpen(true)}>
          {report.target}
        </Button>
      </div>
    );
  return (
    <form className="stack tight" onSubmit={(event) => void make(event)}>
      <TextInput
        data-autofocus
        autoFocus
        required
        withAsterisk={false}
        maxLength={255}
        label={report.targetName}
        description={report.targetText}
        value={name}
        error={error || undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" variant="filled" loading={isBusy} disabled={name.trim() === ''}>
          {report.makeTarget}
        </Button>
      </div>
    </form>
  );
}
