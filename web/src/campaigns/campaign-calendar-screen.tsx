import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconList } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { LinkButton } from '../parts/link-button.tsx';
import { Failed, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useWords } from '../words/words.tsx';
import { CalendarDay } from './calendar-day.tsx';
import { dayOf, monthsLater, weeksOf } from './calendar-days.ts';
import { type CalendarEntry, useCalendarEntries } from './calendar-entries.ts';
import { useMoves } from './calendar-move.tsx';
import { useCalendarWords } from './calendar-words.ts';
import './calendar.css';

const route = getRouteApi('/$site/campaigns/calendar');

/** A month of campaigns: what is scheduled and what was sent. Scheduled ones can be moved to another day. */
export function CampaignCalendarScreen() {
  const { words, language } = useWords();
  const texts = useCalendarWords();
  const site = useSite();
  const { month = dayOf(Date.now()).slice(0, 7) } = route.useSearch();
  const weeks = weeksOf(month);
  const { data, error, refetch, isPlaceholderData } = useCalendarEntries(weeks[0]![0]!, weeks.at(-1)![6]!);
  const title = new Date(`${month}-01T00:00:00Z`).toLocaleDateString(language, {
    ...{ month: 'long', year: 'numeric', timeZone: 'UTC' },
  });
  return (
    <Page
      title={texts.title}
      crumb={
        <Link to="/$site/campaigns" params={{ site: site.name }} search={{}}>
          {words.campaigns.title}
        </Link>
      }
      actions={
        <LinkButton
          to="/$site/campaigns"
          params={{ site: site.name }}
          leftSection={<IconList size={16} aria-hidden />}
        >
          {texts.list}
        </LinkButton>
      }
    >
      <div className="stack tight">
        <Months month={month} title={title} />
        <section className="card flush">
          {error && !data && <Failed error={error} retry={() => void refetch()} />}
          {!data && !error && <Loading rows={12} />}
          {data && (
            <Month title={title} month={month} weeks={weeks} entries={data} isRead={!isPlaceholderData} />
          )}
        </section>
        {site.may('sender') && <p className="label text-3 calendar-hint">{texts.hint}</p>}
      </div>
    </Page>
  );
}

/** The name of the month, and its neighbours. */
function Months({ month, title }: { readonly month: string; readonly title: string }) {
  const texts = useCalendarWords();
  const site = useSite();
  const navigate = useNavigate();
  const acts = useMemo(() => {
    const go = (next: string | undefined) =>
      void navigate({
        ...{ to: '/$site/campaigns/calendar', params: { site: site.name } },
        search: next === undefined ? {} : { month: next },
        replace: true,
      });
    return [
      { keys: '[', label: texts.keys.earlier, run: () => go(monthsLater(month, -1)) },
      { keys: ']', label: texts.keys.later, run: () => go(monthsLater(month, 1)) },
      { keys: 't', label: texts.keys.today, run: () => go(undefined) },
    ] as const;
  }, [month, navigate, site.name, texts]);
  useShortcuts(acts);
  const [earlier, later, today] = acts;
  return (
    <div className="row">
      <ActionIcon aria-label={texts.earlier} title={texts.earlier} onClick={earlier.run}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={texts.later} title={texts.later} onClick={later.run}>
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
      <h2 className="calendar-title" aria-live="polite">
        {title}
      </h2>
      <Button size="xs" onClick={today.run}>
        {texts.today}
      </Button>
    </div>
  );
}

interface MonthProps {
  readonly title: string;
  readonly month: string;
  readonly weeks: readonly (readonly string[])[];
  readonly entries: readonly CalendarEntry[];
  /** False while the entries are those of the month before. */
  readonly isRead: boolean;
}

/** The table of a month; on a phone the list of its days. */
function Month({ title, month, weeks, entries, isRead }: MonthProps) {
  const { language } = useWords();
  const texts = useCalendarWords();
  const table = useRef<HTMLTableElement>(null);
  const moves = useMoves(table);
  const [dragged, drag] = useState<CalendarEntry>();
  const { pending } = moves;
  const shown = entries.map((entry) =>
    entry.key === pending?.entry.key ? { ...entry, day: pending.day } : entry,
  );
  const of = new Map<string, CalendarEntry[]>();
  for (const entry of shown) of.set(entry.day, [...(of.get(entry.day) ?? []), entry]);
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const hasNothing = isRead && !shown.some(({ day }) => day.startsWith(month));
  return (
    <>
      {hasNothing && <p className="calendar-nothing text-2">{texts.nothing}</p>}
      <table className="calendar" ref={table} tabIndex={-1}>
        <caption className="hidden">{title}</caption>
        <thead>
          <tr>
            {weeks[0]!.map((day) => (
              <th key={day} scope="col">
                {weekday.format(new Date(`${day}T00:00:00Z`))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <CalendarDay
                  key={day}
                  day={day}
                  isOutside={!day.startsWith(month)}
                  entries={of.get(day) ?? []}
                  pending={pending?.entry.key}
                  dragged={dragged}
                  drag={drag}
                  move={moves.start}
                  choose={moves.choose}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {moves.dialog}
    </>
  );
}
