import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds } from '../subscribers/fields.ts';
import { addressOf } from '../subscribers/subscriber.ts';
import { useWords } from '../words/words.tsx';
import type { SaveState } from './use-target-draft.ts';

/** A mailing to a test target is refused above so many people. */
const mostForTests = 200;
const shown = 5;

interface TargetPeopleProps {
  readonly idTarget: number;
  readonly state: SaveState;
  readonly isTestTarget: boolean;
}

/** How many people a target selects as it is saved, and some of them. */
export function TargetPeople({ idTarget, state, isTestTarget }: TargetPeopleProps) {
  const { words, format } = useWords();
  const texts = words.targets;
  const site = useSite();
  const refusal = useRefusal();
  const params = { path: { idsite: site.name, idTarget } };
  const count = useQuery({
    queryKey: ['targets', site.name, idTarget, 'count', state.at],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/count', { params, signal })),
  });
  const people = useQuery({
    queryKey: ['targets', site.name, idTarget, 'some', state.at],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/targets/{idTarget}/subscribers', {
          params: {
            ...params,
            query: { property: `fld${fieldIds.email}`, direction: 'ASC', start: 0, page: 1, limit: shown },
          },
          signal,
        }),
      ),
  });
  const isStale = state.kind === 'unsaved' || state.kind === 'saving' || count.isPlaceholderData;
  const number = count.data;
  return (
    <div className="stack tight beside">
      <section className="card">
        <div className="card-head">
          <h2>{texts.count}</h2>
          <span className="aside">{isStale && texts.counting}</span>
        </div>
        <div className="card-body" aria-live="polite">
          {count.error ? (
            <p className="small red">
              {texts.notCounted} {refusal(count.error)}
            </p>
          ) : (
            <p className="counted" data-stale={isStale || undefined}>
              <span className="big">{number === undefined ? '–' : format.count(number)}</span>{' '}
              <span className="text-2">{number !== undefined && texts.people(number)}</span>
            </p>
          )}
          {number === 0 && !isStale && <p className="small text-2">{texts.nobody}</p>}
          {isTestTarget && (number ?? 0) > mostForTests && (
            <p className="note amber" style={{ marginTop: 8 }}>
              {texts.tooManyForTests}
            </p>
          )}
        </div>
      </section>
      {people.data && people.data.length > 0 && !count.error && (
        <section className="card">
          <h2 className="card-head">{texts.some}</h2>
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
      )}
    </div>
  );
}
