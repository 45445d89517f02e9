import { Suspense, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { StateOf } from '../parts/state.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import {
  type Campaign,
  datesOf,
  endStateOf,
  isRunning,
  isScheduled,
  missedStartOf,
  runningJobOf,
  stateOf,
} from './campaign.ts';
import type { CountedFigure } from './people-figure.ts';
import { deliveredOf } from './report-data.ts';
import type { LastJob } from './use-last-jobs.ts';

const PeopleOfFigure = lazyPart(async () => (await import('./people-of-figure.tsx')).PeopleOfFigure);

/** A figure of a campaign's last job whose people are shown. */
export interface JobFigure extends CountedFigure {
  readonly source:
    | 'nbAddressToSend'
    | 'nbAddressSent'
    | 'nbDelivered'
    | 'nbHumanOpeners'
    | 'nbHumanClickers'
    | 'nbUnsubs';
}

const countOf = (job: LastJob, source: JobFigure['source']): number =>
  source === 'nbDelivered' ? deliveredOf(job) : job[source];

/** Shows the people behind a figure of a job or another one, in a drawer. */
export function useJobPeople() {
  const site = useSite();
  const act = useAct();
  const [figure, setFigure] = useState<CountedFigure>();
  const [wasOpened, setOpened] = useState(false);
  const close = () => setFigure(undefined);
  const show = (shown: CountedFigure) => {
    setOpened(true);
    setFigure(shown);
  };
  return {
    show,
    open: (job: LastJob, source: JobFigure['source']) =>
      act(async () => {
        const { idCampaign, idJob } = job;
        const sendings = await dataOf(
          api.GET('/v1/{idsite}/campaigns/job-sendings/short', {
            params: { path: { idsite: site.name }, query: { idCampaign, idJob } },
          }),
        );
        show({ source, count: countOf(job, source), ids: sendings.map(({ sent }) => sent.idSent) });
      }),
    drawer: wasOpened && (
      <Opened close={close} isOpen={figure !== undefined}>
        <PeopleOfFigure figure={figure} close={close} />
      </Opened>
    ),
  };
}

interface JobProps {
  readonly campaign: Campaign;
  /** The last job; undefined if it has none, or while the jobs are read. */
  readonly job: LastJob | undefined;
}

interface StateCellProps extends JobProps {
  /** Why it is paused, missed its date or failed, in the service's words; empty after a user's pause. */
  readonly reason: string;
}

/** The state of a campaign with its reason, or the moment of its start, its end or its last change. */
export function StateCell({ campaign, job, reason }: StateCellProps) {
  const { words, format } = useWords();
  const state = stateOf(campaign);
  const running = runningJobOf(campaign, job);
  const ended = job?.endDate ?? job?.startDate;
  const missed = state === 'Missed' ? missedStartOf(reason) : undefined;
  const when = () => {
    if (missed) return format.moment(missed);
    if (isScheduled(campaign)) return format.moment(datesOf(campaign)[0] ?? campaign.lastUpdateDate);
    if (running) return format.share(running.nbAddressSent, running.nbAddressToSend);
    if (isRunning(campaign)) return '\u00a0';
    if (state === 'None') return words.campaignList.changed(format.moment(campaign.lastUpdateDate));
    return ended ? format.moment(ended) : '\u00a0';
  };
  return (
    <td className="state-cell">
      <StateOf state={endStateOf(campaign, job)} uncertain={job?.nbUncertain} />
      {reason && !missed ? (
        <Suspense fallback={<span className="label">{'\u00a0'}</span>}>
          <Reason text={reason} />
        </Suspense>
      ) : (
        <span className="label text-3">{when()}</span>
      )}
    </td>
  );
}

/** A reason of the service; a wide list cuts it to one line. */
function Reason({ text }: { readonly text: string }) {
  const said = useServiceText()(text);
  return (
    <span className="label text-3 state-reason" lang={said.lang} title={said.text}>
      <bdi>{said.text}</bdi>
    </span>
  );
}

interface FigureCellsProps extends JobProps {
  readonly open: (job: LastJob, source: JobFigure['source']) => void;
}

/** People, delivered, opened and clicked of a campaign's last job. Each opens its people; machines are in none. */
export function FigureCells({ campaign, job, open }: FigureCellsProps) {
  const { words, format } = useWords();
  const { columns } = words.campaignList;
  const { name } = campaign.parameters;
  const cells = job
    ? ([
        ['people', format.count(job.nbAddressToSend), 'nbAddressToSend'],
        ['delivered', format.share(deliveredOf(job), job.nbAddressSent), 'nbDelivered'],
        ['opened', format.share(job.nbHumanOpeners, deliveredOf(job)), 'nbHumanOpeners'],
        ['clicked', format.share(job.nbHumanClickers, deliveredOf(job)), 'nbHumanClickers'],
      ] as const)
    : (['people', 'delivered', 'opened', 'clicked'] as const).map((column) => [column, ''] as const);
  // Nobody is listed while the audience is being frozen.
  const listed = job?.jobStateName === 'Generating' ? undefined : job;
  return cells.map(([column, text, source]) => (
    <td
      key={column}
      className={`num figure-cell${column === 'delivered' ? ' wide' : ''}${text === '' ? ' none' : ''}`}
      data-label={text === '' ? undefined : columns[column].toLowerCase()}
    >
      {listed && source && countOf(listed, source) > 0 ? (
        <button
          type="button"
          className="fig"
          aria-label={`${text} ${columns[column].toLowerCase()}: ${name}`}
          onClick={() => open(listed, source)}
        >
          {text}
        </button>
      ) : (
        text || <span aria-hidden>–</span>
      )}
    </td>
  ));
}
