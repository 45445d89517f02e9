import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Failed } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { outcomeKinds, outcomeOfLog, RunFigure } from './outcome.tsx';

type ImportLog = components['schemas']['ImportLog'];

/** Runs that are read at a time. */
const pageSize = 10;

interface EarlierRunsProps {
  readonly id: number;
  /** When the last run began. */
  readonly last: string;
  /** Whether the last run is shown on its own. */
  readonly isLastShown: boolean;
}

/** The runs of an import before the one that is shown on its own or runs now, the newest first. */
export function EarlierRuns({ id, last, isLastShown }: EarlierRunsProps) {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const first = isLastShown ? 1 : 0;
  const runs = useInfiniteQuery({
    queryKey: ['imports', site.name, 'runs', id, last, first],
    queryFn: ({ pageParam: start }) =>
      dataOf(
        api.GET('/v1/{idsite}/imports/{idImport}/logs', {
          params: {
            path: { idsite: site.name, idImport: id },
            query: { 'filter.start': start, 'filter.limit': pageSize },
          },
        }),
      ),
    initialPageParam: first,
    getNextPageParam: ({ start, count, totalCount }) => {
      const next = start + count;
      return next < totalCount && count > 0 ? next : undefined;
    },
  });
  const logs = runs.data?.pages.flatMap(({ items }) => items) ?? [];
  if (runs.error && logs.length === 0) return <Failed error={runs.error} retry={() => void runs.refetch()} />;
  if (logs.length === 0) return null;
  return (
    <section className="card">
      <h2 className="card-head">{texts.earlierRuns}</h2>
      <div className="table-scroll">
        <RunTable id={id} logs={logs} />
      </div>
      {runs.hasNextPage && (
        <div className="card-body">
          <Button loading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            {texts.moreRuns}
          </Button>
        </div>
      )}
    </section>
  );
}

function RunTable({ id, logs }: { readonly id: number; readonly logs: readonly ImportLog[] }) {
  const { words, format } = useWords();
  const texts = words.imports;
  const said = useServiceText();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{texts.columns.file}</th>
          <th>{texts.columns.when}</th>
          {outcomeKinds.map((kind) => (
            <th key={kind} className="num">
              {texts.outcome.names[kind]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {logs.map((log) => {
          const outcome = outcomeOfLog(log);
          const reason = log.errorMessage ? said(log.errorMessage) : undefined;
          return (
            <tr key={log.startDate}>
              <td className="title anywhere">
                <bdi>{log.filename}</bdi>
                {reason && (
                  <span className="small red block" lang={reason.lang}>
                    {reason.text}
                  </span>
                )}
              </td>
              <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
                {format.moment(log.startDate)}
              </td>
              {outcomeKinds.map((kind) => (
                <td key={kind} className="num" data-label={texts.outcome.names[kind]}>
                  <RunFigure run={{ idImport: id, idLog: log.id }} kind={kind} count={outcome[kind]} />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
