import { IconAlertTriangle } from '@tabler/icons-react';
import { Failed, Loading } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import {
  deliveredOf,
  type Figures,
  mostSendings,
  readersOf,
  type Scope,
  sumOf,
  useProviders,
} from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';

/** Below so many people a share says nothing about a provider. */
const fewest = 20;

/** Whether a share is far below that of the rest: by two points, and more than chance explains. */
function isFar(part: number, whole: number, allParts: number, all: number): boolean {
  const [restPart, rest] = [allParts - part, all - whole];
  if (whole < fewest || rest < fewest) return false;
  const pooled = allParts / all;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / whole + 1 / rest));
  return restPart / rest - part / whole > Math.max(0.02, 3 * error);
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly figures: Figures;
}

function rowsOf(data: NonNullable<ReturnType<typeof useProviders>['data']>, others: string): readonly Row[] {
  const byId = new Map<number, { name: string; all: Figures[] }>();
  for (const one of data.flatMap(({ providers }) => providers)) {
    const row = byId.get(one.idFai) ?? {
      name: one.idFai === 0 ? others : one.isp || String(one.idFai),
      all: [],
    };
    row.all.push(one);
    byId.set(one.idFai, row);
  }
  return [...byId]
    .map(([id, { name, all }]) => ({ id, name, figures: sumOf(all) }))
    .sort((a, b) => b.figures.nbAddressSent - a.figures.nbAddressSent);
}

interface PartProps {
  readonly scope: Scope;
  readonly withMachines: boolean;
  readonly open: OpenPeople;
}

/** Shares of each mailbox provider; amber where one is far below the rest. */
export function Providers({ scope, withMachines, open }: PartProps) {
  const { format } = useWords();
  const report = useReportWords();
  const { data, error, refetch } = useProviders(scope);
  const rows = data ? rowsOf(data, report.others) : [];
  const total = sumOf(rows.map(({ figures }) => figures));
  const ids = data?.map(({ sending }) => sending.idSent) ?? [];
  const { openedBy, clickedBy } = readersOf(total, withMachines);
  const opened = (figures: Figures) => readersOf(figures, withMachines).opened;
  const clicked = (figures: Figures) => readersOf(figures, withMachines).clicked;
  const sent = (figures: Figures) => figures.nbAddressSent;
  const columns = [
    [report.delivered, 'nbDelivered', deliveredOf, sent],
    [report.opened, openedBy, opened, deliveredOf],
    [report.clicked, clickedBy, clicked, deliveredOf],
  ] as const;
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{report.providers}</h2>
      </div>
      {error && !data && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {rows.length > 0 && (
        <table className="table kept">
          <thead>
            <tr>
              <th>{report.provider}</th>
              <th className="num wide">{report.sent}</th>
              {columns.map(([name]) => (
                <th key={name} className="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name, figures }) => (
              <tr key={id}>
                <td className="title anywhere">
                  <bdi>{name}</bdi>
                </td>
                <td className="num wide" data-label={report.sent}>
                  <Figure
                    source="nbAddressSent"
                    count={sent(figures)}
                    open={open}
                    more={{ ids, idFai: id, part: name }}
                  />
                </td>
                {columns.map(([column, source, part, whole]) => (
                  <td key={column} className="num" data-label={column}>
                    <Figure
                      source={source}
                      count={part(figures)}
                      open={open}
                      more={{ ids, idFai: id, part: name }}
                    >
                      <Share
                        text={format.share(part(figures), whole(figures))}
                        isFar={isFar(part(figures), whole(figures), part(total), whole(total))}
                      />
                    </Figure>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {scope.sendings.length > mostSendings && (
        <p className="card-body label text-3">{report.newestOnly(mostSendings)}</p>
      )}
    </section>
  );
}

function Share({ text, isFar: far }: { readonly text: string; readonly isFar: boolean }) {
  const report = useReportWords();
  if (!far) return text;
  return (
    <span className="amber strong provider-far" title={report.far}>
      <IconAlertTriangle size={14} role="img" aria-label={report.far} />
      {text}
    </span>
  );
}

/** The figures of each segment, over the sendings of all jobs; nothing if there is only one. */
export function ReportSegments({ scope, withMachines, open }: PartProps) {
  const { format } = useWords();
  const report = useReportWords();
  const { data } = useProviders(scope);
  const segments = new Map<number, NonNullable<typeof data>>();
  for (const one of data ?? []) {
    const { idSending } = one.sending;
    segments.set(idSending, [...(segments.get(idSending) ?? []), one]);
  }
  if (segments.size < 2) return null;
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{report.segments}</h2>
      </div>
      <table className="table kept">
        <thead>
          <tr>
            <th>{report.segments}</th>
            <th className="num">{report.delivered}</th>
            <th className="num">{report.opened}</th>
            <th className="num">{report.clicked}</th>
          </tr>
        </thead>
        <tbody>
          {[...segments].map(([id, all]) => {
            const figures = sumOf(all.flatMap(({ providers }) => providers));
            const delivered = deliveredOf(figures);
            const part = all[0]!.sending.filterName;
            const more = { ids: all.map(({ sending }) => sending.idSent), part };
            const { opened, openedBy, clicked, clickedBy } = readersOf(figures, withMachines);
            return (
              <tr key={id}>
                <td className="title anywhere">
                  <bdi>{part}</bdi>
                </td>
                <td className="num" data-label={report.delivered}>
                  <Figure source="nbDelivered" count={delivered} open={open} more={more} />
                </td>
                <td className="num" data-label={report.opened}>
                  <Figure source={openedBy} count={opened} open={open} more={more}>
                    {format.share(opened, delivered)}
                  </Figure>
                </td>
                <td className="num" data-label={report.clicked}>
                  <Figure source={clickedBy} count={clicked} open={open} more={more}>
                    {format.share(clicked, delivered)}
                  </Figure>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
