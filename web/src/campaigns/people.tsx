import { Button, Drawer } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';

/** A figure of a report whose people are shown. */
export interface PeopleFigure {
  readonly figure: 'nbHumanOpeners' | 'nbClickers' | 'nbUnsubs';
  /** The number and what they did. */
  readonly title: string;
}

interface PeopleProps {
  readonly sendings: readonly { readonly idSent: number }[];
  readonly figure: PeopleFigure | undefined;
  readonly close: () => void;
}

const pageSize = 50;

/** The people behind a figure, 50 at a time. */
export function People({ sendings, figure, close }: PeopleProps) {
  const { words } = useWords();
  return (
    <Drawer
      opened={figure !== undefined}
      onClose={close}
      title={figure?.title}
      closeButtonProps={{ 'aria-label': words.shell.close }}
    >
      {figure && <PeopleList sendings={sendings} figure={figure} />}
    </Drawer>
  );
}

function PeopleList({
  sendings,
  figure: { figure },
}: Omit<PeopleProps, 'close' | 'figure'> & { readonly figure: PeopleFigure }) {
  const { words } = useWords();
  const site = useSite();
  const ids = sendings.map(({ idSent }) => idSent);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['people', site.name, ids, figure],
      initialPageParam: { sending: 0, after: 0 },
      queryFn: ({ pageParam: { sending, after } }) =>
        dataOf(
          api.GET('/v1/{idsite}/statistics/people', {
            params: {
              path: { idsite: site.name },
              query: { idSent: ids[sending]!, figure, limit: pageSize, ...(after > 0 && { after }) },
            },
          }),
        ),
      // A short page is the last one of its sending; the next sending follows.
      getNextPageParam: (page, _pages, { sending }) => {
        if (page.length === pageSize) return { sending, after: page.at(-1)!.idSubscriber };
        return sending + 1 < ids.length ? { sending: sending + 1, after: 0 } : undefined;
      },
    });
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading />;
  const people = data.pages.flat();
  return (
    <>
      <ul className="people">
        {people.map(({ idSubscriber, email }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one person may be in two sendings, and the list only grows
          <li key={`${idSubscriber} ${index}`}>
            <span className={email === null ? 'text-3' : ''}>{email ?? words.report.erased}</span>
            <span className="label text-3">{idSubscriber}</span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button mt={12} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.report.more}
        </Button>
      )}
    </>
  );
}
