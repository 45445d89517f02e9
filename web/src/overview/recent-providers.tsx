import { useQuery } from '@tanstack/react-query';
import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import type { ProviderFigure } from '../campaigns/provider-people.ts';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type ProviderResults, recentProvidersOf } from './growth-data.ts';
import { useSentWords } from './words.ts';
import './growth.css';

/** Providers that are listed; the others are summed. */
const listedProviders = 7;
/** Below so many messages a share says nothing about a provider. */
const fewest = 20;

/** What was sent by provider in a period, and what was not delivered; each number opens its people. */
export function RecentProviders({ days }: { readonly days: number }) {
  const { format } = useWords();
  const { growth: texts, columns, periods } = useSentWords();
  const site = useSite();
  const { data, error, refetch } = useQuery(recentProvidersOf(site.name, days));
  const rows = data ? rowsOf(data, texts.others) : [];
  const shareOf = (row: Row) => (row.nbSent < fewest ? 0 : row.nbNotDelivered / row.nbSent);
  const most = Math.max(...rows.map(shareOf), 0.01);
  const all = rows.reduce((sum, { nbSent }) => sum + nbSent, 0);
  const failed = rows.reduce((sum, { nbNotDelivered }) => sum + nbNotDelivered, 0);
  // Amber: more than twice the share of the whole, and at least one in a hundred.
  const isFar = (row: Row) => shareOf(row) > Math.max(0.01, (2 * failed) / Math.max(all, 1));
  const when = periods[days as keyof typeof periods];
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{texts.providers}</h2>
        <span className="small text-3" style={{ marginLeft: 'auto' }}>
          {when}
        </span>
      </div>
      {error && !data && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty title={texts.noProviders} text={texts.soonByProvider} />}
      {rows.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>{texts.provider}</th>
              <th className="num">{texts.sent}</th>
              <th className="num">{columns.opened}</th>
              <th>{texts.notDelivered}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td className="title anywhere">
                  <bdi>{row.name}</bdi>
                </td>
                <td className="num" data-label={texts.sent}>
                  <ProviderPeople {...{ row, days, when }} figure="nbSent" />
                </td>
                <td className="num" data-label={columns.opened}>
                  <ProviderPeople
                    {...{ row, days, when }}
                    figure="nbHumanOpeners"
                    share={format.share(row.nbHumanOpeners, row.nbSent - row.nbNotDelivered)}
                  />
                </td>
                <td data-label={texts.notDelivered}>
                  <div className="provider-bar">
                    <span className="num">
                      <ProviderPeople
                        {...{ row, days, when }}
                        figure="nbNotDelivered"
                        share={format.share(row.nbNotDelivered, row.nbSent)}
                      />
                    </span>
                    <span className="meter" aria-hidden>
                      <i
                        style={{
                          width: `${(100 * shareOf(row)) / most}%`,
                          background: isFar(row) ? 'var(--f-c3)' : 'var(--f-control)',
                        }}
                      />
                    </span>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface ProviderPeopleProps {
  readonly row: Row;
  readonly figure: ProviderFigure['figure'];
  readonly days: number;
  /** The period in words. */
  readonly when: string;
  /** What is shown instead of the number. */
  readonly share?: string;
}

/** A figure of a provider, or of all others, which opens its people. */
function ProviderPeople({ row, figure, days, when, share }: ProviderPeopleProps) {
  const { words, format } = useWords();
  const texts = useSentWords().growth;
  const count = row[figure];
  const people = words.campaigns.people(format.count(count), format.isOne(count));
  const did = texts.ofProvider[figure](people);
  const said = share === undefined ? did : `${share} · ${did}`;
  const title = `${said} · \u2068${row.name}\u2069 · ${when}`;
  const provider = { figure, nbDays: days, idsFai: [...row.ids] };
  return (
    <OpenedFigure figure={{ source: 'provider', provider, ids: [], days, count, title }}>
      {share}
    </OpenedFigure>
  );
}

interface Row {
  readonly name: string;
  readonly ids: readonly number[];
  readonly nbSent: number;
  readonly nbNotDelivered: number;
  readonly nbHumanOpeners: number;
}

/** The largest providers, then all others as one row. */
function rowsOf(data: readonly ProviderResults[], others: string): readonly Row[] {
  const named = data
    .filter(({ idFai }) => idFai > 0)
    .map((one) => ({ ...one, name: one.isp || String(one.idFai), ids: [one.idFai] }));
  const listed = named.slice(0, listedProviders);
  const rest = data.filter(({ idFai }) => !listed.some((one) => one.idFai === idFai));
  if (rest.length === 0) return listed;
  const sum = (of: ProviderFigure['figure']) => rest.reduce((total, one) => total + one[of], 0);
  return [
    ...listed,
    {
      ...{ name: others, nbSent: sum('nbSent'), nbNotDelivered: sum('nbNotDelivered') },
      ...{ nbHumanOpeners: sum('nbHumanOpeners'), ids: rest.map(({ idFai }) => idFai) },
    },
  ];
}
