import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload, IconSearch, IconTarget } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { SideSheet } from '../parts/dialog.tsx';
import { saveText } from '../parts/save-file.ts';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import {
  areTooManyForTarget,
  canBeTarget,
  firstPlace,
  mostListed,
  type PeopleFigure,
  readEverybody,
  readPageOfPeople,
  TooManyPeople,
  targetOf,
} from './people-figure.ts';
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
  const site = useSite();
  return (
    <SideSheet
      className="tall"
      isOpen={figure !== undefined}
      close={close}
      title={figure && <span className="anywhere">{figure.title}</span>}
    >
      {figure && (
        <div className="stack tight">
          <PeopleList figure={figure} />
          {site.may('editor') && (
            <div className="people-acts">
              {canBeExported(figure) && <ExportPeople figure={figure} />}
              {canBeTarget(figure) && <TargetForm figure={figure} close={close} />}
              {areTooManyForTarget(figure) && <TargetLimit />}
            </div>
          )}
        </div>
      )}
    </SideSheet>
  );
}

function usePeople(figure: PeopleFigure, isSearch: boolean) {
  const site = useSite();
  const { source, idLink, idCampaign, reply, idFai, ids, days } = figure;
  const limit = isSearch ? searchPageSize : pageSize;
  return useInfiniteQuery({
    // People of segments are read again after each change of the segments.
    queryKey: [
      ...(idCampaign === undefined ? ['people', site.name] : ['campaign', site.name, idCampaign, 'people']),
      ...[ids, source, idLink, reply, idFai, days, limit],
    ],
    initialPageParam: firstPlace,
    queryFn: ({ pageParam }) => readPageOfPeople(site.name, figure, pageParam, limit),
    getNextPageParam: ({ next }) => next,
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
  const read = data?.pages.flatMap(({ people }) => people) ?? [];
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
        {...(figure.count > mostSearched && {
          description: report.searchLimit(format.count(mostSearched)),
          inputWrapperOrder: ['input', 'description'],
        })}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {figure.days !== undefined && (
        <p className="label text-3" style={{ marginTop: 8 }}>
          {report.eachSending}
        </p>
      )}
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
        <p className="label text-3" style={{ marginTop: 12 }}>
          {report.shown(format.count(found.length), format.count(figure.count))}{' '}
          <MoreAtEnd
            pages={data?.pages.length ?? 0}
            isBusy={isFetchingNextPage}
            more={() => void fetchNextPage()}
          />
        </p>
      )}
    </div>
  );
}

interface MoreAtEndProps {
  /** Pages that are read; after each, it is looked again whether the end is in sight. */
  readonly pages: number;
  readonly isBusy: boolean;
  readonly more: () => void;
}

/** Loads more when it comes into sight; a button for those who do not scroll. It keeps the focus while it loads. */
function MoreAtEnd({ pages, isBusy, more: read }: MoreAtEndProps) {
  const report = useReportWords();
  const end = useRef<HTMLButtonElement>(null);
  const more = () => {
    if (!isBusy) read();
  };
  const latest = useRef(more);
  latest.current = more;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an observer tells only of changes, so each page has its own
  useEffect(() => {
    const seen = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    seen.observe(end.current!);
    return () => seen.disconnect();
  }, [pages]);
  return (
    <button type="button" className="fig" ref={end} aria-disabled={isBusy} onClick={more}>
      {report.more}
    </button>
  );
}

/** Quotes a value for a file that a spreadsheet opens; a value that looks like a formula is text. */
const quoted = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r]/, "'$&")
    .replaceAll('"', '""')}"`;

/** Returns a signal that ends when the component is gone. */
function useGone(): () => AbortSignal {
  const gone = useRef(new AbortController());
  useEffect(() => {
    // Mounted twice in development, it is gone once before it is there.
    gone.current = new AbortController();
    return () => gone.current.abort();
  }, []);
  return () => gone.current.signal;
}

/** A segment selects anew for every page, so that its pages are read only as far as somebody looks. */
const canBeExported = ({ source }: PeopleFigure): boolean => source !== 'segment';

/** Saves the people as a CSV file, which is read page by page. */
function ExportPeople({ figure }: { readonly figure: PeopleFigure }) {
  const { format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const refusal = useRefusal();
  const say = useServiceText();
  const [read, setRead] = useState<number>();
  const gone = useGone();
  const save = async () => {
    setRead(0);
    const signal = gone();
    try {
      const all = Number.POSITIVE_INFINITY;
      const people = await readEverybody(site.name, figure, all, { signal, read: setRead });
      const rows = people.map(({ idSubscriber, email, reason }) => [
        idSubscriber,
        email ?? '',
        say(reason ?? '').text,
      ]);
      const lines = [report.csvHead, ...rows].map((row) => row.map(quoted).join(';'));
      const what =
        figure.days === undefined ? figure.ids.join('-').slice(0, 60) : report.csvDays(figure.days);
      saveText(`${report.csvName}-${what}.csv`, `\ufeff${lines.join('\r\n')}\r\n`);
    } catch (failure) {
      if (signal.aborted) return;
      toast({ text: refusal(failure), seconds: 10 });
    }
    setRead(undefined);
  };
  return (
    <Button
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={read !== undefined}
      onClick={() => void save()}
    >
      {read === undefined ? report.export : report.reading(format.count(read))}
    </Button>
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
  const say = useServiceText();
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
        {reason && (
          <span className="label text-3 people-reason" lang={say(reason).lang}>
            {say(reason).text}
          </span>
        )}
      </span>
      <span className="label text-3">{idSubscriber}</span>
    </>
  );
}

/** Says why there is no way to a target. */
function TargetLimit() {
  const { format } = useWords();
  const report = useReportWords();
  return <p className="small text-2">{report.targetLimit(format.count(mostListed))}</p>;
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
  const gone = useGone();
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    const signal = gone();
    try {
      const { count } = await targetOf(site.name, name.trim(), figure, signal);
      await queries.invalidateQueries({ queryKey: ['targets', site.name] });
      const people = words.campaigns.people(format.count(count), count === 1);
      toast({ text: report.targetMade(name.trim(), people), seconds: 10 });
      close();
    } catch (failure) {
      if (signal.aborted) return;
      const isTooMany = failure instanceof TooManyPeople;
      setError(isTooMany ? report.tooManyForTarget(format.count(mostListed)) : refusal(failure));
      setBusy(false);
    }
  };
  if (!isOpen)
    return (
      <Button
        variant="filled"
        leftSection={<IconTarget size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {report.target}
      </Button>
    );
  return (
    <form className="stack tight grow" onSubmit={(event) => void make(event)}>
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
