import { parisInstant } from '../targets/paris-time.ts';
import { useWords } from '../words/words.tsx';
import { useScheduleWords } from './schedule-words.ts';

interface OwnTimeProps {
  /** A day of Paris. */
  readonly day: string;
  readonly time: string;
  /** The instant, where the day and the time stand for two. */
  readonly at?: string | undefined;
}

/** A date and time of Paris on the clocks of Paris and of the user, if these differ. */
export function OwnTime({ day, time, at }: OwnTimeProps) {
  const { format } = useWords();
  const texts = useScheduleWords();
  const instant = at ?? parisInstant(`${day}T${time}`);
  if (instant === null) return null;
  const wall = (zone: { timeZone?: string }) =>
    new Date(instant).toLocaleString('sv-SE', zone).slice(0, 16).split(' ') as [string, string];
  const [parisDay, paris] = wall({ timeZone: 'Europe/Paris' });
  // Without a time zone: that of the browser. Noon of a day in UTC is on that day in Paris.
  const [ownDay, own] = wall({});
  if (ownDay === parisDay && own === paris) return null;
  const there = ownDay === parisDay ? own : `${format.day(`${ownDay}T12:00:00Z`)}, ${own}`;
  return <p className="small">{texts.inBothZones(paris, there)}</p>;
}
