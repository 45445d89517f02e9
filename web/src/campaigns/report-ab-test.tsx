import { IconTrophy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { partQuery } from './campaign-query.ts';
import { renewOf } from './renewal.ts';
import { deliveredOf, readersOf, type Scope, sumOf, useProviders } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';

/** The newest A/B test of the sendings in scope; undefined if they test nothing. */
function useAbTest({ idCampaign, sendings }: Scope) {
  const site = useSite();
  const { data } = useQuery({
    ...partQuery(site.name, idCampaign, 'ab-tests', () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns/{idCampaign}/ab-tests', {
          params: { path: { idsite: site.name, idCampaign } },
        }),
      ),
    ),
    refetchInterval: renewOf(sendings),
  });
  return data?.findLast(({ idJob }) => sendings.some((one) => one.idJob === idJob));
}

type Test = NonNullable<ReturnType<typeof useAbTest>>;

interface AbResultProps {
  readonly scope: Scope;
  readonly withMachines: boolean;
  readonly open: OpenPeople;
}

/** The variants of an A/B test with their figures; the winner, and how and when it is chosen. */
export function AbResult({ scope, withMachines, open }: AbResultProps) {
  const { format } = useWords();
  const report = useReportWords();
  const test = useAbTest(scope);
  const { data } = useProviders(scope);
  if (!test) return null;
  const isOver = scope.sendings.some(({ idJob, endDate }) => idJob === test.idJob && endDate !== null);
  const winner = test.variants.find(({ idSent }) => idSent === test.idWinner);
  const rows = [
    ...test.variants.map((one) => ({ ...one, title: one.tested || one.name })),
    {
      ...{ idSent: test.idRemainder, title: report.ab.remainder, tested: '', readers: null, delivered: null },
      name: winner ? report.ab.gets(winner.tested || winner.name) : report.ab.waits,
    },
  ];
  return (
    <section className="card flush" aria-label={report.ab.title}>
      <div className="card-head">
        <h2>{report.ab.title}</h2>
        <span className="aside">{report.ab.types[test.type]}</span>
      </div>
      <p className="card-body small text-2">
        <Said test={test} isOver={isOver} />
      </p>
      <table className="table">
        <thead>
          <tr>
            <th>{report.ab.variant}</th>
            <th className="num">{report.ab.atChoice}</th>
            <th className="num">{report.delivered}</th>
            <th className="num">{report.opened}</th>
            <th className="num">{report.clicked}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ idSent, name, title, readers, delivered: then }) => {
            const own = data?.find(({ sending }) => sending.idSent === idSent);
            const figures = sumOf(own?.providers ?? []);
            const delivered = deliveredOf(figures);
            const { opened, openedBy, clicked, clickedBy } = readersOf(figures, withMachines);
            const more = { ids: [idSent], part: title };
            return (
              <tr key={idSent}>
                <td className="title anywhere">
                  <bdi className="strong">{title}</bdi>{' '}
                  {idSent === test.idWinner && (
                    <span className="pill green">
                      <IconTrophy size={14} aria-hidden />
                      {report.ab.winner}
                    </span>
                  )}
                  {name !== title && <p className="small text-3">{name}</p>}
                </td>
                <td className="num" data-label={report.ab.atChoice}>
                  {readers === null || then === null ? '–' : format.share(readers, then)}
                </td>
                <td className="num" data-label={report.delivered}>
                  {own ? <Figure source="nbDelivered" count={delivered} open={open} more={more} /> : '–'}
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
      {withMachines && <p className="card-body label text-3">{report.ab.alwaysPeople}</p>}
    </section>
  );
}

interface SaidProps {
  readonly test: Test;
  readonly isOver: boolean;
}

/** How and when the winner was chosen, or will be. */
function Said({ test: { type, dueAt, decidedAt, reason }, isOver }: SaidProps) {
  const { format } = useWords();
  const { ab } = useReportWords();
  const by = ab.by[type === 'Content' ? 'clicks' : 'opens'];
  if (decidedAt !== null && reason !== null) return ab.chosen[reason](format.moment(decidedAt), by);
  if (isOver) return ab.none;
  return dueAt === null ? ab.later(by) : ab.due(format.moment(dueAt), by);
}
