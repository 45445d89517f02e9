import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import {
  isWaiting,
  type ListedPerson,
  type PeopleFigure,
  type PeoplePage,
  type PeoplePlace,
  readPageOfPeople,
} from './people-figure.ts';
import { useReportWords } from './report-words.ts';
import { type PersonDescription, useDescriptions } from './use-descriptions.ts';

const pageSize = 50;
/** The longest text that the service looks for. */
const longestSearch = 254;

/** The people of a figure page by page, or those of them who have a text. */
function usePeople(figure: PeopleFigure, search?: string) {
  const site = useSite();
  const { source, idLink, idCampaign, reply, idFai, target, among, growth, provider, ids, days, count } =
    figure;
  return useInfiniteQuery({
    // People of segments and targets are read again after each change of them, others when their number is another.
    queryKey: [
      ...(target ? ['targets', site.name, 'people', target] : []),
      ...(idCampaign === undefined ? ['people', site.name] : ['campaign', site.name, idCampaign, 'people']),
      ...[ids, source, idLink, reply, idFai, growth, provider, days, among, count, search],
    ],
    // All pages would be read again.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    // Those who wait are others when the list is opened again.
    ...(isWaiting(figure) && { gcTime: 0 }),
    initialPageParam: undefined as PeoplePlace | undefined,
    queryFn: ({ pageParam, signal }) =>
      readPageOfPeople(site.name, figure, { place: pageParam, limit: pageSize, search, signal }),
    getNextPageParam: ({ next }) => next,
  });
}

/** Whether there is no list of the people of a figure, although it counts some. */
export const useIsMissing = (figure: PeopleFigure): boolean =>
  usePeople(figure).data?.pages[0]?.isMissing === true;

/** Moves the focus through the links of a list by the arrow keys, also from above the list. */
function moveFocus(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...(list?.querySelectorAll('a') ?? [])];
  const { target } = event;
  if (step === undefined || links.length === 0 || target instanceof HTMLSelectElement) return;
  const at = links.indexOf(target as HTMLAnchorElement);
  const next = at === -1 ? step - 1 : at + step;
  if (next < 0 && at === -1) return;
  event.preventDefault();
  links[Math.min(Math.max(next, 0), links.length - 1)]!.focus();
}

interface PeopleListProps {
  readonly figure: PeopleFigure;
  /** What limits the list, below the search. */
  readonly children?: ReactNode;
}

/** The people behind a figure: searchable, by arrow keys, each with a way to their profile. */
export function PeopleList({ figure, children }: PeopleListProps) {
  const { format } = useWords();
  const report = useReportWords();
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 250);
  const isSearch = text !== '';
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePeople(
    figure,
    text || undefined,
  );
  const counts = data?.pages[0]?.counts;
  const read = data?.pages.flatMap(({ people }) => people) ?? [];
  // A page of a sending with few such people is short; those of the next ones fill it.
  const wantsMore = read.length < pageSize && hasNextPage;
  useEffect(() => {
    if (wantsMore && !isFetchingNextPage && !error) void fetchNextPage();
  }, [wantsMore, isFetchingNextPage, error, fetchNextPage]);
  const describedOf = useDescriptions(read);
  const isLoading = isPending || wantsMore;
  const list = useRef<HTMLUListElement>(null);
  const count = format.count(read.length);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus between its links
    <div onKeyDown={(event) => moveFocus(event, list.current)}>
      <TextInput
        type="search"
        aria-label={report.find}
        placeholder={report.find}
        maxLength={longestSearch}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
      <Notes figure={figure} counts={isSearch ? undefined : counts} />
      {error && <Failed error={error} retry={() => void refetch()} />}
      <ul className="people" ref={list}>
        {read.map((person, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one person may be in two sendings, and the list only grows
          <li key={`${person.idSubscriber} ${index}`}>
            <Person person={person} described={describedOf(person)} />
          </li>
        ))}
      </ul>
      {isLoading && !error && <Loading rows={2} />}
      {!isLoading && !error && (
        <Absent
          figure={figure}
          searched={isSearch ? text : undefined}
          nbFound={read.length}
          isMissing={data?.pages[0]?.isMissing === true}
          isWhole={!hasNextPage}
        />
      )}
      {!isLoading && (hasNextPage || (isSearch && read.length > 0)) && (
        <p className="label text-3" style={{ marginTop: 12 }}>
          {figure.isLimited || isSearch
            ? report.shownLimited(count)
            : report.shown(count, format.count(counts?.listed ?? figure.count))}{' '}
          {hasNextPage && (
            <MoreAtEnd
              pages={data?.pages.length ?? 0}
              isBusy={isFetchingNextPage}
              more={() => void fetchNextPage()}
            />
          )}
        </p>
      )}
    </div>
  );
}

interface NotesProps {
  readonly figure: PeopleFigure;
  readonly counts: PeoplePage['counts'];
}

/** How the list differs from what one may expect. */
function Notes({ figure, counts }: NotesProps) {
  const { format } = useWords();
  const report = useReportWords();
  const notes = [
    figure.days !== undefined && report.eachSending,
    isWaiting(figure) && report.changesEachSecond,
    counts && report.growthListed(counts, format.count),
  ];
  return notes.map(
    (note) =>
      note && (
        <p key={note} className="label text-3" style={{ marginTop: 8 }}>
          {note}
        </p>
      ),
  );
}

interface AbsentProps {
  readonly figure: PeopleFigure;
  /** The text that was searched for. */
  readonly searched: string | undefined;
  readonly nbFound: number;
  /** Whether the service has no list of these people. */
  readonly isMissing: boolean;
  /** Whether everybody is read. */
  readonly isWhole: boolean;
}

/** Says why nobody is listed, or fewer people than the figure counts. */
function Absent({ figure, searched, nbFound, isMissing, isWhole }: AbsentProps) {
  const { format } = useWords();
  const report = useReportWords();
  if (searched !== undefined) return nbFound === 0 && <Empty title={report.noneFound(searched)} />;
  if (isMissing) return <Empty title={report.notRecorded} />;
  // Only the lists of imports leave out people who were deleted.
  const deleted = figure.idImport !== undefined && isWhole ? figure.count - nbFound : 0;
  if (deleted > 0)
    return (
      <p className="label text-3" style={{ marginTop: 12 }}>
        {report.deletedSince(format.count(deleted), format.isOne(deleted))}
      </p>
    );
  return nbFound === 0 && <Empty title={report.noPeople} />;
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

interface PersonProps {
  readonly person: ListedPerson;
  /** Undefined while it is not read. */
  readonly described: PersonDescription | undefined;
}

function Person({ person: { idSubscriber, email, reason }, described }: PersonProps) {
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
        {described?.name && (
          <span className="label text-3 people-line">
            <bdi>{described.name}</bdi>
          </span>
        )}
        {reason && (
          <span className="label text-3 people-line" lang={say(reason).lang}>
            {say(reason).text}
          </span>
        )}
      </span>
      <span className="label text-3 people-aside">
        {described?.city && (
          <span className="people-city">
            <bdi>{described.city}</bdi>
          </span>
        )}
        <span>{idSubscriber}</span>
      </span>
    </>
  );
}
