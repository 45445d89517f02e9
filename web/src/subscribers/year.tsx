import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { MessageFrame } from '../parts/message-frame.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { addressOf, type Subscriber } from './subscriber.ts';

type SubscriberEvent = components['schemas']['SubscriberEvent'];

const weekMs = 7 * 24 * 3_600_000;
const weeksShown = 52;
/** Events of one request, and the most that are read for a year: the newest 2,500. */
const [pageSize, mostPages] = [500, 5];

/** Outcomes of a week, from the least to the most. */
const outcomes = ['none', 'received', 'opened', 'clicked', 'bounced'] as const;
type Outcome = (typeof outcomes)[number];

interface Week {
  readonly from: Date;
  readonly outcome: Outcome;
  /** The messages of the week, the newest first. */
  readonly messages: readonly SubscriberEvent[];
}

const isByPerson = ({ isMachine }: SubscriberEvent) => isMachine !== true;

function outcomeOf(events: readonly SubscriberEvent[]): Outcome {
  const hasFailed = events.some(
    ({ type, state }) =>
      type === 'Bounce' || type === 'Complaint' || state === 'refused' || state === 'expired',
  );
  if (hasFailed) return 'bounced';
  if (events.some(isClick)) return 'clicked';
  if (events.some(isOpen)) return 'opened';
  return events.some(wasSent) ? 'received' : 'none';
}

const wasSent = ({ state }: SubscriberEvent) => state === 'accepted' || state === 'uncertain';

const isClick = (event: SubscriberEvent) => event.type === 'Click' && isByPerson(event);
/** Who clicks has opened, even if the picture that shows it was not loaded. */
const isOpen = (event: SubscriberEvent) => isClick(event) || (event.type === 'Open' && isByPerson(event));

/** The last 52 weeks up to a moment, the oldest first. */
function weeksOf(events: readonly SubscriberEvent[], now: number): Week[] {
  return Array.from({ length: weeksShown }, (_, index) => {
    const from = now - (weeksShown - index) * weekMs;
    const own = events.filter(({ at }) => Date.parse(at) > from && Date.parse(at) <= from + weekMs);
    return { from: new Date(from), outcome: outcomeOf(own), messages: own.filter(wasSent) };
  });
}

/** The events of a person within a year, the newest first. */
function useYear(idSubscriber: number) {
  const site = useSite();
  return useQuery({
    queryKey: ['subscribers', site.name, 'events', idSubscriber, 'year'],
    queryFn: async () => {
      const now = Date.now();
      const events: SubscriberEvent[] = [];
      let before: string | undefined;
      for (let page = 0; page < mostPages; page++) {
        const found = await dataOf(
          api.GET('/v1/{idsite}/subscribers/{idSubscriber}/events', {
            params: {
              path: { idsite: site.name, idSubscriber },
              query: { limit: pageSize, ...(before && { before }) },
            },
          }),
        );
        events.push(...found.events.filter(({ isTest }) => !isTest));
        before = found.next ?? undefined;
        const oldest = found.events.at(-1);
        if (!before || (oldest && Date.parse(oldest.at) < now - weeksShown * weekMs)) break;
      }
      return { now, events };
    },
  });
}

/** A year of a person: five figures, and a mark for each week. */
export function Year({ person }: { readonly person: Subscriber }) {
  const { words, format } = useWords();
  const texts = words.subscribers.year;
  const { data, error, refetch } = useYear(person.id);
  if (!data)
    return (
      <section className="card" aria-label={texts.title}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={2} />}
      </section>
    );
  const weeks = weeksOf(data.events, data.now);
  const inYear = data.events.filter(({ at }) => Date.parse(at) > weeks[0]!.from.getTime());
  const countOf = (is: (event: SubscriberEvent) => boolean) =>
    format.count(new Set(inYear.filter(is).map(({ idSent }) => idSent)).size);
  const latest = (is: (event: SubscriberEvent) => boolean) => {
    const found = data.events.find(is);
    return found ? format.moment(found.at) : '–';
  };
  const figures = [
    [format.count(inYear.filter(wasSent).length), texts.messages],
    [countOf(isOpen), texts.opened],
    [countOf(isClick), texts.clicked],
    [latest(wasSent), texts.lastMessage],
    [latest(isOpen), texts.lastOpened],
  ] as const;
  return (
    <section className="card" aria-label={texts.title}>
      <dl className="card-body year-figures">
        {figures.map(([figure, name]) => (
          <div key={name}>
            <dt className="small text-2">{name}</dt>
            <dd className="h1">{figure}</dd>
          </div>
        ))}
      </dl>
      <Weeks person={person} weeks={weeks} />
    </section>
  );
}

interface WeeksProps {
  readonly person: Subscriber;
  readonly weeks: readonly Week[];
}

/** A mark for each week. The arrows go from one to the next; Enter opens the newest message of the week. */
function Weeks({ person, weeks }: WeeksProps) {
  const { words, format } = useWords();
  const texts = words.subscribers.year;
  const [current, setCurrent] = useState(weeks.length - 1);
  const [isRead, setRead] = useState(false);
  const [opened, setOpened] = useState<SubscriberEvent>();
  const marks = useRef<HTMLDivElement>(null);
  const read = ({ from, outcome, messages }: Week) => {
    const names = messages.map(({ campaignName, idSent }) => campaignName ?? String(idSent));
    return texts.week(format.day(from), texts.outcomes[outcome], names.slice(0, 3).join(', '));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -weeks.length, End: weeks.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max(current + step, 0), weeks.length - 1);
    setCurrent(next);
    marks.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div className="card-body stack tight">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend */}
      <div ref={marks} className="weeks" role="group" aria-label={texts.weeks} onKeyDown={onKeyDown}>
        {weeks.map((week, index) => (
          <button
            key={week.from.getTime()}
            type="button"
            data-outcome={week.outcome}
            tabIndex={index === current ? 0 : -1}
            aria-label={read(week)}
            onFocus={() => {
              setCurrent(index);
              setRead(true);
            }}
            onBlur={() => setRead(false)}
            onPointerEnter={() => {
              setCurrent(index);
              setRead(true);
            }}
            onPointerLeave={() => setRead(false)}
            onClick={() => setOpened(week.messages[0])}
          />
        ))}
      </div>
      <div className="row label text-3" aria-hidden style={{ justifyContent: 'space-between' }}>
        <span>{format.day(weeks[0]!.from)}</span>
        <span>{texts.today}</span>
      </div>
      {isRead ? (
        <p className="label text-2">{read(weeks[current]!)}</p>
      ) : (
        <ul className="row label text-3 week-names" aria-hidden>
          {outcomes.slice(1).map((outcome) => (
            <li key={outcome} className="weeks">
              <span data-outcome={outcome} /> {texts.outcomes[outcome]}
            </li>
          ))}
        </ul>
      )}
      {opened && <Message person={person} event={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

interface MessageProps {
  readonly person: Subscriber;
  readonly event: SubscriberEvent;
  readonly close: () => void;
}

/** A message of a campaign as it was sent, before the values of the person were filled in. */
function Message({ person, event: { idSent, idCampaign, campaignName, at }, close }: MessageProps) {
  const { words, format } = useWords();
  const texts = words.subscribers.year;
  const site = useSite();
  const refusal = useRefusal();
  const message = useQuery({
    queryKey: ['subscribers', site.name, 'message', idCampaign, idSent],
    enabled: idCampaign !== null,
    retry: false,
    queryFn: async () => {
      const path = { idsite: site.name, idCampaign: idCampaign! };
      const sendings = await dataOf(
        api.GET('/v1/{idsite}/campaigns/{idCampaign}/sendings', { params: { path } }),
      );
      const sent = sendings.find((one) => one.idSent === idSent);
      return sent?.msgHtml || sent?.msgTxt || null;
    },
  });
  return (
    <Dialog close={close} size="lg" title={texts.messageTo(addressOf(person), format.moment(at))}>
      <div className="stack tight">
        {idCampaign === null ? (
          <p className="text-2">{texts.noCampaign}</p>
        ) : (
          <>
            <p className="text-2">{message.data === null ? texts.notKept : texts.asSent}</p>
            {message.error && (
              <p className="note red" role="alert">
                {refusal(message.error)}
              </p>
            )}
            {message.isPending && <Loading rows={4} />}
            {message.data && (
              <div style={{ height: 420, border: '1px solid var(--f-line)' }}>
                <MessageFrame title={words.composer.previewTitle} html={message.data} />
              </div>
            )}
            <Link
              className="link"
              to="/$site/campaigns/$idCampaign"
              params={{ site: site.name, idCampaign: String(idCampaign) }}
            >
              {campaignName ?? idCampaign}
            </Link>
          </>
        )}
      </div>
    </Dialog>
  );
}
