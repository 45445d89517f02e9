import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Subscriber } from './subscriber.ts';

type TargetOfSubscriber = components['schemas']['TargetOfSubscriber'];

/** Targets that one request evaluates, at most. */
const pageSize = 20;

/**
 * The targets that select a person. The service evaluates some at a time, those that changed last first. That can take
 * long, so they are read again after a change of targets, but neither after one of fields nor at the focus of the window.
 */
function useTargetsOf({ id }: Subscriber) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: ['targets', site.name, 'of-subscriber', id],
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    initialPageParam: 0,
    queryFn: ({ pageParam: start, signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/subscribers/{idSubscriber}/targets', {
          params: {
            path: { idsite: site.name, idSubscriber: id },
            query: { 'filter.start': start, 'filter.limit': pageSize },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ start, count, totalCount }) =>
      count > 0 && start + count < totalCount ? start + count : undefined,
  });
}

/** The targets that a person is in, of those that were looked at. */
export function InTargets({ person }: { readonly person: Subscriber }) {
  const { words, format } = useWords();
  const texts = words.subscribers.inTargets;
  const targets = useTargetsOf(person);
  const looked = targets.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = targets.data?.pages.at(-1)?.totalCount ?? 0;
  const those = (state: TargetOfSubscriber['state']) => looked.filter((one) => one.state === state);
  const [held, undecided, failed] = [those('In'), those('Undecided'), those('Failed')];
  const left = total - looked.length;
  const of = left > 0 ? texts.ofNewest : texts.of;
  return (
    <section className="card" aria-labelledby="in-targets">
      <div className="card-head">
        <h2 id="in-targets">{texts.title}</h2>
        {looked.length > 0 && (
          <span className="aside small text-2">
            {of(format.count(held.length), format.count(looked.length))}
          </span>
        )}
      </div>
      {targets.isPending && <Loading rows={2} />}
      {targets.error && !targets.data && (
        <Failed error={targets.error} retry={() => void targets.refetch()} />
      )}
      {targets.data && (
        <div className="card-body stack" style={{ gap: 12 }}>
          {held.length > 0 ? (
            <Names label={texts.title} targets={held} />
          ) : (
            <p className="text-2">{total === 0 ? texts.noTargets : texts.none}</p>
          )}
          {undecided.length > 0 && <Named text={texts.undecided} targets={undecided} />}
          {failed.length > 0 && <Named text={texts.failed} targets={failed} />}
          {targets.hasNextPage && (
            <div>
              <Button
                size="xs"
                loading={targets.isFetchingNextPage}
                onClick={() => void targets.fetchNextPage()}
              >
                {texts.more(format.count(Math.min(pageSize, left)))}
              </Button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

function Named({
  text,
  targets,
}: {
  readonly text: string;
  readonly targets: readonly TargetOfSubscriber[];
}) {
  return (
    <div className="stack" style={{ gap: 6 }}>
      <p className="small text-2">{text}</p>
      <Names label={text} targets={targets} />
    </div>
  );
}

interface NamesProps {
  readonly label: string;
  readonly targets: readonly TargetOfSubscriber[];
}

function Names({ label, targets }: NamesProps) {
  const site = useSite();
  return (
    <ul className="row" style={{ gap: 6 }} aria-label={label}>
      {targets.map(({ idTarget, name }) => (
        <li key={idTarget} style={{ minWidth: 0 }}>
          <Link
            className="pill target-pill"
            to="/$site/targets/$idTarget"
            params={{ site: site.name, idTarget: String(idTarget) }}
          >
            <bdi className="cut">{name}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}
