import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { Choice } from '../parts/choice.tsx';
import { StateOf } from '../parts/state.tsx';
import { Failed, Loading, Page, useNow } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, endStateOf } from './campaign.ts';
import { newestOf } from './newest-sendings.ts';
import { People } from './people.tsx';
import { AbResult } from './report-ab-test.tsx';
import { ReportActions } from './report-actions.tsx';
import { type Figures, type Scope, type Sendings, useFigures, useMachineClicks } from './report-data.ts';
import { Funnel } from './report-funnel.tsx';
import { Links } from './report-links.tsx';
import { Message } from './report-message.tsx';
import { Providers, ReportSegments } from './report-providers.tsx';
import { OverTime } from './report-time.tsx';
import { UnreachedNotes } from './report-unreached.tsx';
import { useReportWords } from './report-words.ts';
import { useLastJobs } from './use-last-jobs.ts';
import { usePeopleFigure } from './use-people-figure.ts';
import { Replies, WhatHappened } from './what-happened.tsx';
import './report.css';

/** For so long after its start a report says that most opens are still to come. */
const youngMinutes = 60;

interface ReportProps {
  readonly campaign: Campaign;
  readonly sendings: Sendings;
}

/** The results of a campaign over all its sendings, or of one of them; figures open their people. */
export function Report({ campaign, sendings }: ReportProps) {
  const { format } = useWords();
  const report = useReportWords();
  const [idSent, setIdSent] = useState<number>();
  const [withMachines, setWithMachines] = useState(false);
  const scope: Scope = {
    idCampaign: campaign.id,
    idSent,
    sendings: idSent === undefined ? sendings : sendings.filter((one) => one.idSent === idSent),
  };
  const figures = useFigures(scope);
  const last = useLastJobs([campaign])?.get(campaign.id);
  const machineClicks = useMachineClicks(scope);
  const { figure, open, close } = usePeopleFigure(scope.sendings.map((one) => one.idSent));
  const parts = { scope, withMachines, open };
  const ended = newestOf(sendings).at(-1)?.endDate;
  return (
    <Page
      title={campaign.parameters.name}
      thingOf="campaigns"
      crumb={
        <>
          <span aria-hidden>›</span>
          <span>{campaign.id}</span>
        </>
      }
      sub={
        <>
          <StateOf state={endStateOf(campaign, last)} uncertain={last?.nbUncertain} />
          {ended && <span>{format.moment(ended)}</span>}
          <span>{campaign.parameters.subject}</span>
        </>
      }
      actions={<ReportActions campaign={campaign} scope={scope} withMachines={withMachines} />}
    >
      <Young sendings={sendings} />
      <div className="row report-bar">
        <Choice
          label={report.who}
          options={[
            ['people', report.onlyPeople],
            ['machines', report.withMachines],
          ]}
          value={withMachines ? 'machines' : 'people'}
          choose={(who) => setWithMachines(who === 'machines')}
        />
        <LeftOut figures={figures.data} machineClicks={machineClicks} withMachines={withMachines} />
        <Which sendings={sendings} value={idSent} choose={setIdSent} />
        {figures.dataUpdatedAt > 0 && (
          <span className="small text-3">
            {report.countedAt(format.time(new Date(figures.dataUpdatedAt)))}
          </span>
        )}
      </div>
      {scope.sendings.length > 0 && <UnreachedNotes scope={scope} open={open} />}
      {figures.error && !figures.data && (
        <Failed error={figures.error} retry={() => void figures.refetch()} />
      )}
      {figures.isPending && <Loading />}
      {figures.data && (
        <Funnel
          figures={figures.data}
          machineClicks={machineClicks}
          withMachines={withMachines}
          open={open}
        />
      )}
      {scope.sendings.length > 0 && (
        <div className="report-halves">
          <OverTime key={idSent} scope={scope} withMachines={withMachines} />
          <Providers {...parts} />
        </div>
      )}
      <AbResult {...parts} />
      <ReportSegments {...parts} />
      <div className="halves">
        <Message
          scope={scope}
          withMachines={withMachines}
          html={newestOf(scope.sendings)[0]?.msgHtml ?? campaign.htmlContent ?? ''}
        />
        <Links {...parts} />
      </div>
      <div className="report-halves">
        <WhatHappened idCampaign={campaign.id} idJob={newestOf(scope.sendings)[0]?.idJob} />
        <Replies scope={scope} open={open} />
      </div>
      <People figure={figure} close={close} scope={scope} />
    </Page>
  );
}

/** In the first hour: how long ago the campaign was sent, and that most opens are still to come. */
function Young({ sendings }: { readonly sendings: Sendings }) {
  const report = useReportWords();
  const now = useNow();
  const started = sendings.at(-1)?.startDate;
  if (!started) return null;
  const minutes = Math.max(0, Math.floor((now - Date.parse(started)) / 60_000));
  return minutes < youngMinutes ? <p className="note ink">{report.young(minutes)}</p> : null;
}

interface LeftOutProps {
  readonly figures: Figures | undefined;
  readonly machineClicks: number | undefined;
  readonly withMachines: boolean;
}

/** The number that the switch leaves out or includes. */
function LeftOut({ figures, machineClicks, withMachines }: LeftOutProps) {
  const { words, format } = useWords();
  const report = useReportWords();
  if (!figures || machineClicks === undefined) return null;
  const openers = figures.nbOpeners - figures.nbHumanOpeners;
  if (openers === 0 && machineClicks === 0) return <span className="small text-3">{report.noMachines}</span>;
  const say = withMachines ? report.included : report.leftOut;
  return (
    <span className="small text-3 report-left-out">
      {say(
        words.campaigns.people(format.count(openers), format.isOne(openers)),
        report.clickCount(format.count(machineClicks), format.isOne(machineClicks)),
      )}
    </span>
  );
}

interface WhichProps {
  readonly sendings: Sendings;
  readonly value: number | undefined;
  readonly choose: (idSent: number | undefined) => void;
}

/** Chooses one of several sendings. */
function Which({ sendings, value, choose }: WhichProps) {
  const { format } = useWords();
  const report = useReportWords();
  if (sendings.length < 2) return null;
  return (
    <NativeSelect
      aria-label={report.which}
      value={value ?? ''}
      onChange={(event) =>
        choose(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))
      }
      data={[
        { value: '', label: report.all },
        ...sendings.toReversed().map(({ idSent, filterName, startDate }) => ({
          value: String(idSent),
          label: startDate ? `${format.moment(startDate)} · ${filterName}` : filterName,
        })),
      ]}
    />
  );
}
