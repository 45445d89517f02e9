import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { clicksOf, type Scope, useLinks } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';

interface LinksProps {
  readonly scope: Scope;
  readonly withMachines: boolean;
  readonly open: OpenPeople;
}

/** The links of the message: share of all clicks, clicks, and the people who clicked. */
export function Links({ scope, withMachines, open }: LinksProps) {
  const { format } = useWords();
  const report = useReportWords();
  const { data, error, refetch } = useLinks(scope);
  const total = data?.reduce((sum, one) => sum + clicksOf(one, withMachines), 0) ?? 0;
  const ids = scope.sendings.map(({ idSent }) => idSent);
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{report.links}</h2>
      </div>
      {error && !data && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty title={report.noLinks} />}
      {data && data.length > 0 && (
        <table className="table links-table">
          <thead>
            <tr>
              <th className="num">{report.map.number}</th>
              <th>{report.link}</th>
              <th className="num">{report.share}</th>
              <th className="num">{report.clicks}</th>
              <th className="num">{report.peopleColumn}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ idLink, url, nbClickers, nbHumanClickers, ...one }, index) => (
              <tr key={idLink}>
                <td className="num text-3 number">{index + 1}</td>
                <td className="title anywhere">
                  <bdi>{url}</bdi>
                </td>
                <td className="num" data-label={report.share}>
                  {format.share(clicksOf(one, withMachines), total)}
                  <span className="meter thin" aria-hidden>
                    <i
                      style={{
                        width: `${(100 * clicksOf(one, withMachines)) / (total || 1)}%`,
                        background: 'var(--f-c1)',
                      }}
                    />
                  </span>
                </td>
                <td className="num" data-label={report.clicks}>
                  {format.count(clicksOf(one, withMachines))}
                </td>
                <td className="num" data-label={report.peopleColumn}>
                  <Figure
                    source={withMachines ? 'nbClickers' : 'nbHumanClickers'}
                    count={withMachines ? nbClickers : nbHumanClickers}
                    open={open}
                    more={{ idLink, ids }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
