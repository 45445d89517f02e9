import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { StateOf } from '../parts/state.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { dayOf, daysLater } from './calendar-days.ts';
import { type CalendarEntry, placeOf } from './calendar-entries.ts';
import { useCalendarWords } from './calendar-words.ts';

/** Entries that a day shows before the others are asked for. */
const shownAtOnce = 4;

interface DayActs {
  readonly drag: (entry: CalendarEntry | undefined) => void;
  readonly move: (entry: CalendarEntry, day: string) => void;
  readonly choose: (entry: CalendarEntry) => void;
}

interface CalendarDayProps extends DayActs {
  readonly day: string;
  /** Whether it belongs to another month. */
  readonly isOutside: boolean;
  readonly entries: readonly CalendarEntry[];
  /** The key of the entry whose move is not stored yet. */
  readonly pending: string | undefined;
  readonly dragged: CalendarEntry | undefined;
}

/** A day of the calendar with its entries; from today on it takes scheduled ones that are dropped on it. */
export function CalendarDay({ day, isOutside, entries, pending, dragged, ...acts }: CalendarDayProps) {
  const { format } = useWords();
  const texts = useCalendarWords();
  const [isOver, setOver] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // The button that was pressed is gone.
    if (isWhole) list.current?.children[shownAtOnce]?.querySelector('a')?.focus();
  }, [isWhole]);
  const today = dayOf(Date.now());
  const takes = dragged !== undefined && day >= today && day !== dragged.day;
  const shown = isWhole || entries.length <= shownAtOnce + 1 ? entries : entries.slice(0, shownAtOnce);
  const more = entries.length - shown.length;
  return (
    <td
      data-outside={isOutside || undefined}
      data-today={day === today || undefined}
      data-empty={entries.length === 0 || undefined}
      data-over={(isOver && takes) || undefined}
      onDragOver={(event) => {
        if (!takes) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (takes) acts.move(dragged, day);
      }}
    >
      <time dateTime={day} aria-current={day === today ? 'date' : undefined}>
        <span className="day-number">{Number(day.slice(8))}</span>
        <span className="day-name">{format.day(`${day}T12:00:00Z`)}</span>
      </time>
      {entries.length > 0 && (
        <ul ref={list}>
          {shown.map((entry) => (
            <Entry key={entry.key} entry={entry} isPending={entry.key === pending} {...acts} />
          ))}
        </ul>
      )}
      {more > 0 && (
        <button type="button" className="link small" onClick={() => setWhole(true)}>
          {texts.more(more)}
        </button>
      )}
    </td>
  );
}

interface EntryProps extends DayActs {
  readonly entry: CalendarEntry;
  readonly isPending: boolean;
}

const sentStates = ['Finished', 'FinishedWithErrors'];

function Entry({ entry, isPending, drag, move, choose }: EntryProps) {
  const { format } = useWords();
  const site = useSite();
  const { name, state, at, movable, fixed } = entry;
  const canMove = movable !== undefined && site.may('sender') && !isPending;
  const look = state === 'Programmed' ? 'plum' : sentStates.includes(state) ? 'green' : '';
  return (
    <li
      className={`entry ${look}`}
      data-place={placeOf(entry)}
      aria-busy={isPending || undefined}
      draggable={canMove || undefined}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        drag(entry);
      }}
      onDragEnd={() => drag(undefined)}
    >
      <Link
        // The entry is dragged, not the address.
        draggable={false}
        title={name}
        to="/$site/campaigns/$idCampaign"
        params={{ site: site.name, idCampaign: String(entry.idCampaign) }}
      >
        <span className="entry-time">{format.time(new Date(at))}</span> <bdi>{name}</bdi>
      </Link>
      <span className="entry-state">
        <StateOf state={state === 'Sending' ? 'InProgress' : state} />
      </span>
      {(movable || fixed) && site.may('sender') && <EntryMenu entry={entry} move={move} choose={choose} />}
    </li>
  );
}

const shifts = ['-7', '-1', '1', '7'] as const;

/** The same moves by the keyboard and on a phone. */
function EntryMenu({ entry, move, choose }: Pick<EntryProps, 'entry' | 'move' | 'choose'>) {
  const { format } = useWords();
  const texts = useCalendarWords();
  const site = useSite();
  const navigate = useNavigate();
  const label = texts.actions(entry.name, format.moment(entry.at));
  const today = dayOf(Date.now());
  const open = () =>
    void navigate({
      to: '/$site/campaigns/$idCampaign',
      params: { site: site.name, idCampaign: String(entry.idCampaign) },
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={label} title={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={open}>{texts.open}</Menu.Item>
        {entry.movable ? (
          <>
            {shifts.map((days) => {
              const to = daysLater(entry.day, Number(days));
              return (
                to >= today && (
                  <Menu.Item key={days} onClick={() => move(entry, to)}>
                    {texts.shifts[days]}
                  </Menu.Item>
                )
              );
            })}
            <Menu.Item onClick={() => choose(entry)}>{texts.choose}</Menu.Item>
          </>
        ) : (
          <Menu.Label style={{ maxWidth: 220 }}>{texts[entry.fixed ?? 'daily']}</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
