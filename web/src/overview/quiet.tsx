import { useScheduled } from '../campaigns/calendar-entries.ts';
import { StateOf } from '../parts/state.tsx';
import { useWords } from '../words/words.tsx';
import { CampaignLink } from './campaign-link.tsx';
import type { Job } from './overview-screen.tsx';
import { useSentWords } from './words.ts';

/** Starts that there is room for. */
const shownStarts = 3;

/** What is next while nothing is being sent: the first dates of schedules; without one, the last sending. */
export function Quiet({ jobs }: { readonly jobs: readonly Job[] }) {
  const overview = useSentWords();
  const { format } = useWords();
  const scheduled = useScheduled().data ?? [];
  const isNone = scheduled.length === 0;
  const last = isNone ? jobs[0] : undefined;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{isNone ? overview.running : overview.nextOne}</h2>
      </div>
      <div className="card-body stack tight">
        {isNone && <p className="small text-2">{overview.notRunning}</p>}
        {scheduled.slice(0, shownStarts).map(({ key, idCampaign, name, at, state }) => (
          <div key={key} className="row" style={{ justifyContent: 'space-between' }}>
            <CampaignLink id={idCampaign} name={name} />
            <span className="row">
              <span className="small text-2">{format.moment(at)}</span>
              <StateOf state={state} />
            </span>
          </div>
        ))}
        {last && (
          <div className="row" style={{ justifyContent: 'space-between' }}>
            <CampaignLink id={last.idCampaign} name={last.campaignName} />
            <StateOf state={last.jobStateName} />
          </div>
        )}
      </div>
    </section>
  );
}
