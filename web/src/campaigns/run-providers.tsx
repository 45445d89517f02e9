import { useWords } from '../words/words.tsx';
import { type Scope, useProviders } from './report-data.ts';
import { useReportWords, useRunWords } from './report-words.ts';

/** Providers shown, those with the most left first. */
const mostRows = 10;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly audience: number;
  readonly accepted: number;
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
      code: known?.code || one.dsn,
    });
  }
  return [...rows.values()];
}

/** Providers whose people wait for the message, sorted by what is left; amber where they lag behind the others. */
export function RunProviders({ scope }: { readonly scope: Scope }) {
  const { format } = useWords();
  const run = useRunWords();
  const { others } = useReportWords();
  const { data } = useProviders(scope);
  if (!data) return null;
  const all = rowsOf(data, others);
  const share = ({ accepted, audience }: Pick<Row, 'accepted' | 'audience'>) => accepted / (audience || 1);
  const total = share({
    accepted: all.reduce((sum, one) => sum + one.accepted, 0),
    audience: all.reduce((sum, one) => sum + one.audience, 0),
  });
  const waiting = all
    .filter(({ accepted, audience }) => accepted < audience)
    .sort((a, b) => b.audience - b.accepted - (a.audience - a.accepted))
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
              <tr key={row.id}>
                <td className="title anywhere">
                  <bdi>{row.name}</bdi>
                  <span className="meter thin phone-only" aria-hidden>
                    <i style={{ width: `${100 * share(row)}%`, background: 'var(--f-c1)' }} />
                  </span>
                </td>
                <td className="num" data-label={run.acceptedOf}>
                  {format.count(row.accepted)} {run.of(format.count(row.audience))}
                </td>
                <td className={share(row) < total - 0.1 ? 'num amber strong' : 'num'} data-label={run.leftOf}>
                  {format.count(row.audience - row.accepted)}
                </td>
                <td data-label={run.lastReply}>{row.code || '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
