import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { parisInstant } from '../targets/paris-time.ts';
import { useWords } from '../words/words.tsx';
import { audienceOf } from './audience.tsx';
import { dayOf, timeOf } from './calendar-days.ts';
import { type CalendarEntry, placeOf } from './calendar-entries.ts';
import { useCalendarWords } from './calendar-words.ts';
import { type Campaign, datesOf } from './campaign.ts';
import { countsQuery, segmentsQuery } from './campaign-query.ts';
import { Confirmation, Review } from './confirm-sending.tsx';

/** A date of a campaign's calendar, and the day that it moves to. */
export interface Move {
  readonly entry: CalendarEntry;
  readonly campaign: Campaign;
  readonly day: string;
}

/**
 * Moves dates of schedules: at once if they concern nobody, otherwise after a question. Afterwards the entry has the
 * focus, on the day where it then is.
 * @param table the element that has the entries
 */
export function useMoves(table: RefObject<HTMLElement | null>) {
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const [counted, setCounted] = useState<Move>();
  const [asked, ask] = useState<Move>();
  const [chosen, choose] = useState<CalendarEntry>();
  const last = useRef<Pick<Move, 'entry' | 'day'>>(undefined);
  useEffect(() => {
    if (chosen || counted || asked || !last.current) return;
    const { entry, day } = last.current;
    last.current = undefined;
    // Each day has its own elements, so the entry that had the focus is gone.
    if (document.activeElement === document.body)
      focusFirst(table.current, [placeOf({ ...entry, day }), placeOf(entry)]);
  });
  const store = useStore();
  const start = (entry: CalendarEntry, day: string) =>
    act(async () => {
      if (!entry.movable || day === entry.day) return;
      const move = { entry, campaign: entry.movable, day };
      setCounted(move);
      last.current = move;
      try {
        const [segments, counts] = await Promise.all([
          queries.fetchQuery({ ...segmentsQuery(site.name, entry.idCampaign), staleTime: 0 }),
          queries.fetchQuery({ ...countsQuery(site.name, entry.idCampaign), staleTime: 0 }),
        ]);
        if (audienceOf(segments, counts) > 0) ask(move);
        else await store(move);
      } finally {
        setCounted(undefined);
      }
    });
  return {
    /** The move that is counted or asked about; its entry is already shown on the new day. */
    pending: counted ?? asked,
    start,
    /** Asks for the day that an entry moves to. */
    choose: (entry: CalendarEntry) => {
      last.current = { entry, day: entry.day };
      choose(entry);
    },
    dialog: (
      <>
        {chosen && (
          <ChooseDay entry={chosen} move={(day) => start(chosen, day)} close={() => choose(undefined)} />
        )}
        {asked && <AskMove move={asked} store={store} close={() => ask(undefined)} />}
      </>
    ),
  };
}

/** Focuses the first entry that is shown at one of these places, or the table. */
function focusFirst(table: HTMLElement | null, places: readonly string[]): void {
  const entries = places.map((place) => table?.querySelector<HTMLElement>(`[data-place="${place}"] a`));
  (entries.find((entry) => entry) ?? table)?.focus();
}

/** Stores a move, and offers to undo it. */
function useStore(): (move: Move) => Promise<void> {
  const { format } = useWords();
  const texts = useCalendarWords();
  const refusal = useRefusal();
  const swap = useSwap();
  return async ({ entry, day }) => {
    const moved = instantOn(day, entry.at);
    if (!(await swap(entry, entry.at, moved))) return;
    toast({
      text: texts.moved(entry.name, momentOf(format, entry, day)),
      seconds: 10,
      undo: () =>
        swap(entry, moved, entry.at).then(
          () => undefined,
          (error: unknown) => toast({ text: refusal(error), seconds: 10 }),
        ),
    });
  };
}

/**
 * Replaces one date of a campaign's schedule; the others stay, also those that another user has added. Returns false,
 * with a message, if the schedule no longer has the date.
 */
function useSwap(): (entry: CalendarEntry, from: string, to: string) => Promise<boolean> {
  const site = useSite();
  const texts = useCalendarWords();
  const queries = useQueryClient();
  return async ({ idCampaign, name }, from, to) => {
    const params = { path: { idsite: site.name, idCampaign } };
    try {
      // The dates are replaced as a whole, and those of the calendar may be some seconds old.
      const now = datesOf(await dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params })));
      const isFrom = (date: string) => Date.parse(date) === Date.parse(from);
      if (!now.some(isFrom)) {
        toast({ text: texts.changed(name), seconds: 10 });
        return false;
      }
      const body = now.map((date) => (isFrom(date) ? to : date));
      await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/schedule/calendar', { params, body }));
      return true;
    } finally {
      await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    }
  };
}

/** The instant on another day at the same time of the day in Paris. */
function instantOn(day: string, at: string): string {
  const time = timeOf(at);
  const minute = parisInstant(`${day}T${time.slice(0, 5)}`)!;
  return new Date(Date.parse(minute) + Number(time.slice(6)) * 1000).toISOString();
}

/** The moment of an entry on another day, in words. */
const momentOf = (format: ReturnType<typeof useWords>['format'], entry: CalendarEntry, day: string) =>
  `${format.day(`${day}T12:00:00Z`)}, ${timeOf(entry.at).slice(0, 5)}`;

interface AskMoveProps {
  readonly move: Move;
  readonly store: (move: Move) => Promise<void>;
  readonly close: () => void;
}

/** Names how many people a move concerns, and asks. */
function AskMove({ move, store, close }: AskMoveProps) {
  const { format } = useWords();
  const texts = useCalendarWords();
  const { entry, campaign, day } = move;
  return (
    <Review
      campaign={campaign}
      isOpen
      close={close}
      title={(people) => texts.confirmTitle(entry.name, format.day(`${day}T12:00:00Z`), people)}
    >
      {(audience, people) => (
        <Confirmation
          audience={audience}
          text={texts.confirmText(format.moment(entry.at), momentOf(format, entry, day))}
          label={texts.confirm(people)}
          act={() => store(move)}
          close={close}
        >
          {null}
        </Confirmation>
      )}
    </Review>
  );
}

interface ChooseDayProps {
  readonly entry: CalendarEntry;
  readonly move: (day: string) => void;
  readonly close: () => void;
}

/** Asks for the day that an entry moves to. */
function ChooseDay({ entry, move, close }: ChooseDayProps) {
  const texts = useCalendarWords();
  const [day, setDay] = useState(entry.day);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    close();
    move(day);
  };
  return (
    <Dialog close={close} title={<bdi className="anywhere">{texts.moveTitle(entry.name)}</bdi>}>
      <form className="stack tight" onSubmit={submit}>
        <TextInput
          data-autofocus
          type="date"
          required
          label={texts.day}
          min={dayOf(Date.now())}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <div className="row dialog-acts">
          <Button onClick={close}>{texts.back}</Button>
          <Button type="submit" variant="filled" disabled={day === '' || day === entry.day}>
            {texts.move}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
