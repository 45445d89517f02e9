import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { addressOf } from '../subscribers/subscriber.ts';
import { useWords } from '../words/words.tsx';
import { SelectedCount, Steps, type TargetSteps } from './target-steps.tsx';
import type { TargetCount } from './use-count.ts';
import type { SaveState } from './use-target-draft.ts';

/** A mailing to a test target is refused above so many people. */
const mostForTests = 200;
const shown = 5;

interface CountCardProps {
  readonly count: TargetCount;
  readonly steps: TargetSteps;
  /** Whether there is room for what each step leaves. */
  readonly hasSteps: boolean;
  readonly isTestTarget: boolean;
  /** Whether the draft has a change that is not complete, and therefore not counted. */
  readonly isIncomplete: boolean;
}

/** How many people a target selects as it is saved. */
export function CountCard({ count, steps, hasSteps, isTestTarget, isIncomplete }: CountCardProps) {
  const { number, counted, error, isPending, isStale } = count;
  const { words } = useWords();
  const texts = words.targets;
  const refusal = useRefusal();
  return (
    <section className="card count">
      <div className="card-head">
        <h2>{texts.count}</h2>
        <span className="aside">{(isStale || number === undefined) && isPending && texts.counting}</span>
      </div>
      <div className="card-body" aria-live="polite">
        <p className="counted" data-stale={isStale || undefined}>
          <span className="big">
            <SelectedCount idTarget={steps.idTarget} counted={counted} title={texts.peopleSelected} />
          </span>{' '}
          <span className="text-2">{number !== undefined && !error && texts.people(number)}</span>
        </p>
        {error ? (
          <p className="small red name">
            {texts.notCounted} {refusal(error)}
          </p>
        ) : null}
        {isIncomplete && <p className="small amber">{texts.asSaved}</p>}
        {number === 0 && !isPending && !isStale && <p className="small text-2">{texts.nobody}</p>}
        {!error && hasSteps && <Steps {...steps} />}
        {isTestTarget && (number ?? 0) > mostForTests && (
          <p className="note amber" style={{ marginTop: 8 }}>
            {texts.tooManyForTests}
          </p>
        )}
      </div>
    </section>
  );
}

interface SomePeopleProps {
  readonly idTarget: number;
  readonly state: SaveState;
  readonly number: number | undefined;
}

/** Five of the people that a target selects, drawn again after each change. */
export function SomePeople({ idTarget, state: { at }, number = 0 }: SomePeopleProps) {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn and another save draw again
  const drawn = useMemo(() => Math.random(), [turn, at]);
  const start = Math.floor(drawn * (Math.max(0, number - shown) + 1));
  const people = useQuery({
    queryKey: ['targets', site.name, idTarget, 'some', at, start],
    enabled: number > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/targets/{idTarget}/subscribers', {
          params: {
            path: { idsite: site.name, idTarget },
            query: { property: 'fld0', direction: 'ASC', start, page: 1, limit: shown },
          },
          signal,
        }),
      ),
  });
  if (number === 0 || !people.data?.length) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.some}</h2>
        {number > shown && (
          <span className="aside">
            <Button
              size="xs"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => setTurn(turn + 1)}
            >
              {texts.others}
            </Button>
          </span>
        )}
      </div>
      <ul className="card-body stack" style={{ gap: 8 }}>
        {people.data.map((person) => (
          <li key={person.id} className="cut">
            <Link
              className="link"
              to="/$site/subscribers/$idSubscriber"
              params={{ site: site.name, idSubscriber: String(person.id) }}
            >
              <bdi>{addressOf(person)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
