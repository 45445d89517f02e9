import { Fragment, useState } from 'react';
import { Failed, Loading } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { type Scope, useProviders } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords, useRunWords } from './report-words.ts';
import { ProviderReplies, useReplies } from './what-happened.tsx';

/** Each provider shown has its replies read, which are therefore renewed this many times less often than figures. */
const repliesPatience = 6;

/** Providers shown, those with the most left first. */
const mostRows = 10;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly audience: number;
  readonly accepted: number;
  /** Neither accepted nor given up: not attempted yet, or deferred. */
  readonly left: number;
  readonly code: string;
}

function rowsOf(data: NonNullable<ReturnType<typeof useProviders>['data']>, others: string): readonly Row[] {
  const rows = new Map<number, Row>();
  for (const one of data.flatMap(({ providers }) => providers)) {
    const known = rows.get(one.idFai);
    rows.set(one.idFai, {
      id: one.idFai,
      name: one.idFai === 0 ? others : one.isp || String(one.idFai),
      audience: (known?.audience ?? 0) + one.nbAddressToSend,
      accepted: (known?.accepted ?? 0) + one.nbAddressSent,
      left: (known?.left ?? 0) + one.nbWaiting,
      code: known?.code || one.dsn,
    });
  }
  return [...rows.values()];
}

interface ReplyProps {
  readonly scope: Scope;
  readonly idFai: number;
  /** The most frequent code of the reports, until the replies are read. */
  readonly code: string;
}

/** The most frequent reply of a provider's servers: its code, and the beginning of its words. */
function FrequentReply({ scope, idFai, code }: ReplyProps) {
  const { noCode } = useReportWords();
  const [first] = useReplies(scope, idFai, repliesPatience).data ?? [];
  if (!first) return code || '–';
  return (
    <span className="reply-words" title={first.text}>
      {first.reply === 'none' ? noCode : first.reply} <bdi className="small text-3">{first.text}</bdi>
    </span>
  );
}

interface ProvidersProps {
  readonly scope: Scope;
  readonly open: OpenPeople;
}

/**
 * Providers whose people wait for the message, sorted by what is left; amber where they lag behind the others. Each
 * opens the replies of its servers.
 */
export function RunProviders({ scope, open }: ProvidersProps) {
  const { format } = useWords();
  const run = useRunWords();
  const { others } = useReportWords();
  const { data, error, refetch } = useProviders(scope);
  const [opened, setOpened] = useState<number>();
  if (!data)
    return (
      <section className="card">
        <div className="card-head">
          <h2>{run.providers}</h2>
        </div>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={3} />}
      </section>
    );
  const all = rowsOf(data, others);
  const ids = data.map(({ sending }) => sending.idSent);
  const share = ({ left, audience }: Pick<Row, 'left' | 'audience'>) => 1 - left / (audience || 1);
  const total = share({
    left: all.reduce((sum, one) => sum + one.left, 0),
    audience: all.reduce((sum, one) => sum + one.audience, 0),
  });
  const waiting = all
    .filter(({ left }) => left > 0)
    .sort((a, b) => b.left - a.left)
    .slice(0, mostRows);
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{run.providers}</h2>
        {waiting.length > 0 && <span className="aside">{run.sorted}</span>}
      </div>
      {waiting.length === 0 ? (
        <p className="card-body small text-2">{run.allServed}</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th>{run.provider}</th>
              <th className="num">{run.acceptedOf}</th>
              <th className="num">{run.leftOf}</th>
              <th>{run.lastReply}</th>
            </tr>
          </thead>
          <tbody>
            {waiting.map((row) => (
              <Fragment key={row.id}>
                <tr>
                  <td className="title anywhere">
                    <button
                      type="button"
                      className="fig"
                      aria-expanded={row.id === opened}
                      onClick={() => setOpened(row.id === opened ? undefined : row.id)}
                    >
                      <bdi>{row.name}</bdi>
                    </button>
                    <span className="meter thin phone-only" aria-hidden>
                      <i style={{ width: `${100 * share(row)}%`, background: 'var(--f-c1)' }} />
                    </span>
                  </td>
                  <td className="num" data-label={run.acceptedOf}>
                    <Figure
                      source="nbAddressSent"
                      count={row.accepted}
                      open={open}
                      more={{ ids, idFai: row.id, part: row.name }}
                    />{' '}
                    {run.of(format.count(row.audience))}
                  </td>
                  <td
                    className={share(row) < total - 0.1 ? 'num amber strong' : 'num'}
                    data-label={run.leftOf}
                  >
                    <Figure
                      source="nbWaiting"
                      count={row.left}
                      open={open}
                      more={{ ids, idFai: row.id, part: row.name }}
                    />
                  </td>
                  <td data-label={run.lastReply}>
                    <FrequentReply scope={scope} idFai={row.id} code={row.code} />
                  </td>
                </tr>
                {row.id === opened && (
                  <tr>
                    <td colSpan={4} className="title" aria-label={run.repliesOf(row.name)}>
                      <ProviderReplies scope={scope} idFai={row.id} open={open} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
