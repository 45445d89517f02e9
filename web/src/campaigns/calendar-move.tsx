import { Button, Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { audienceOf } from './audience.tsx';
import { dayOf, timeOf } from './calendar-days.ts';
import type { CalendarEntry } from './calendar-entries.ts';
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

/** Moves dates of schedules: at once if they concern nobody, otherwise after a question. */
export function useMoves() {
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const [counted, setCounted] = useState<Move>();
  const [asked, ask] = useState<Move>();
  const store = useStore();
  return {
    /** The move that is counted or asked about; its entry is already shown on the new day. */
    pending: counted ?? asked,
    start: (entry: CalendarEntry, day: string) =>
      act(async () => {
        if (!entry.movable || day === entry.day) return;
        const move = { entry, campaign: entry.movable, day };
        setCounted(move);
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
      }),
    dialog: asked && <AskMove move={asked} store={store} close={() => ask(undefined)} />,
  };
}

/** Stores a move: the other dates stay, the time of the day too. */
function useStore(): (move: Move) => Promise<void> {
  const site = useSite();
  const { format } = useWords();
  const texts = useCalendarWords();
  const queries = useQueryClient();
  const refusal = useRefusal();
  return async ({ entry, campaign, day }) => {
    const params = { path: { idsite: site.name, idCampaign: campaign.id } };
    const setDates = async (dates: readonly string[]) => {
      try {
        await dataOf(
          api.POST('/v1/{idsite}/campaigns/{idCampaign}/schedule/calendar', { params, body: [...dates] }),
        );
      } finally {
        await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
      }
    };
    // The calendar may be some seconds old, and the dates are replaced as a whole.
    const now = datesOf(await dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params })));
    const isOld = (date: string) => Date.parse(date) === Date.parse(entry.at);
    if (!now.some(isOld)) {
      await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
      toast({ text: texts.changed(entry.name), seconds: 10 });
      return;
    }
    await setDates(now.map((date) => (isOld(date) ? `${day}T${timeOf(entry.at)}` : date)));
    toast({
      text: texts.moved(entry.name, momentOf(format, entry, day)),
      seconds: 10,
      undo: () => setDates(now).catch((error: unknown) => toast({ text: refusal(error), seconds: 10 })),
    });
  };
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
      {(count, people) => (
        <Confirmation
          count={count}
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
export function ChooseDay({ entry, move, close }: ChooseDayProps) {
  const texts = useCalendarWords();
  const [day, setDay] = useState(entry.day);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    close();
    move(day);
  };
  return (
    <Modal
      opened
      onClose={close}
      title={<bdi className="anywhere">{texts.moveTitle(entry.name)}</bdi>}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
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
        <div className="row confirm-acts">
          <Button onClick={close}>{texts.back}</Button>
          <Button type="submit" variant="filled" disabled={day === '' || day === entry.day}>
            {texts.move}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
