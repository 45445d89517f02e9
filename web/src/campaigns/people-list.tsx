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
import { type ListedPerson, type PeopleFigure, type PeoplePlace, readPageOfPeople } from './people-figure.ts';
import { useReportWords } from './report-words.ts';
import { mostDescribed, type PersonDescription, useDescriptions } from './use-descriptions.ts';

const pageSize = 50;
/** During a search, whole pages of the service are read. */
const searchPageSize = 1_000;
const mostSearched = 20_000;

function usePeople(figure: PeopleFigure, isSearch: boolean) {
  const site = useSite();
  const { source, idLink, idCampaign, reply, idFai, target, growth, provider, ids, days, count } = figure;
  const limit = isSearch ? searchPageSize : pageSize;
  return useInfiniteQuery({
    // People of segments and targets are read again after each change of them, others when their number is another.
    queryKey: [
      ...(target ? ['targets', site.name, 'people', target] : []),
      ...(idCampaign === undefined ? ['people', site.name] : ['campaign', site.name, idCampaign, 'people']),
      ...[ids, source, idLink, reply, idFai, growth, provider, days, limit, count],
    ],
    // All pages would be read again.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    initialPageParam: undefined as PeoplePlace | undefined,
    queryFn: ({ pageParam }) => readPageOfPeople(site.name, figure, pageParam, limit),
    getNextPageParam: ({ next }) => next,
  });
}

/** Whether there is no list of the people of a figure, although it counts some. */
export const useIsMissing = (figure: PeopleFigure): boolean =>
  usePeople(figure, false).data?.pages[0]?.isMissing === true;

/** Whether the address or the name of a person has a text, in lower case. */
const hasText = ({ email }: ListedPerson, described: PersonDescription | undefined, text: string): boolean =>
  [email, described?.name].some((one) => one?.toLowerCase().includes(text));

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
  const [text] = useDebouncedValue(typed.trim().toLowerCase(), 150);
  const isSearch = text !== '';
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePeople(
    figure,
    isSearch,
  );
  const counts = data?.pages[0]?.counts;
  const read = data?.pages.flatMap(({ people }) => people) ?? [];
  // A page of a sending with few such people is short; those of the next ones fill it.
  const isShort = read.length < (isSearch ? mostSearched : pageSize);
  const wantsMore = isShort && hasNextPage;
  useEffect(() => {
    if (wantsMore && !isFetchingNextPage && !error) void fetchNextPage();
  }, [wantsMore, isFetchingNextPage, error, fetchNextPage]);
  const described = useDescriptions(read);
  const found = isSearch ? read.filter((one) => hasText(one, described.of(one), text)) : read;
  const isLoading = isPending || wantsMore || (isSearch && described.isPending);
  const list = useRef<HTMLUListElement>(null);
  const count = format.count(found.length);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus between its links
    <div onKeyDown={(event) => moveFocus(event, list.current)}>
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
      {children}
      {figure.days !== undefined && (
        <p className="label text-3" style={{ marginTop: 8 }}>
          {report.eachSending}
        </p>
      )}
      {counts && (
        <p className="label text-3" style={{ marginTop: 8 }}>
          {report.growthListed(counts, format.count)}
        </p>
      )}
      {error && <Failed error={error} retry={() => void refetch()} />}
      <ul className="people" ref={list}>
        {found.map((person, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one person may be in two sendings, and the list only grows
          <li key={`${person.idSubscriber} ${index}`}>
            <Person person={person} described={described.of(person)} />
          </li>
        ))}
      </ul>
      {isLoading && !error && <Loading rows={2} />}
      {!isLoading && !error && (
        <Absent
          figure={figure}
          searched={isSearch ? typed.trim() : undefined}
          nbFound={found.length}
          isMissing={data?.pages[0]?.isMissing === true}
          isWhole={!hasNextPage}
        />
      )}
      {isSearch && !isLoading && <SearchLimits nbRead={read.length} isWhole={!hasNextPage} />}
      {!isSearch && !isLoading && hasNextPage && (
        <p className="label text-3" style={{ marginTop: 12 }}>
          {figure.isLimited
            ? report.shownLimited(count)
            : report.shown(count, format.count(counts?.listed ?? figure.count))}{' '}
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

/** Says what a search has left out. */
function SearchLimits({ nbRead, isWhole }: { readonly nbRead: number; readonly isWhole: boolean }) {
  const { format } = useWords();
  const report = useReportWords();
  return (
    <>
      {!isWhole && <p className="label text-3">{report.searchedFirst(format.count(nbRead))}</p>}
      {nbRead > mostDescribed && (
        <p className="label text-3">{report.namesOfFirst(format.count(mostDescribed))}</p>
      )}
    </>
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
