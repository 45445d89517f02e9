import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRefusal } from '../api/use-refusal.ts';
import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import type { PeopleFigure } from '../campaigns/people-figure.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { countUnsaved } from './unsaved-target.ts';

const people = 100;

/** Tries an SQL filter on a few people: how many match, who they are, and how long the service needed. */
export function TrySql({ text }: { readonly text: string }) {
  const { words, format, language } = useWords();
  const { sql } = words.targets.filters;
  const site = useSite();
  const refusal = useRefusal();
  const trial = useMutation({
    mutationFn: async (tried: string) => {
      const began = performance.now();
      const target = { filters: { sql: { sql: tried } } };
      const { count, total } = await countUnsaved(site.name, target, { among: people });
      const seconds = (performance.now() - began) / 1000;
      const matching = words.campaigns.people(format.count(count), format.isOne(count));
      const figure: PeopleFigure = {
        ...{ source: 'target', target, among: people, ids: [0], count },
        title: sql.matching(matching, format.count(total)),
      };
      return { figure, total, seconds };
    },
  });
  // What another text did says nothing of this one.
  const isOfText = trial.variables === text;
  const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  return (
    <div className="row">
      <Button size="xs" loading={trial.isPending} onClick={() => trial.mutate(text)}>
        {sql.try(people)}
      </Button>
      <span className="small" role="status">
        {isOfText && trial.data && (
          <span className="text-2">
            <OpenedFigure figure={trial.data.figure} />{' '}
            {sql.tried(
              trial.data.figure.count,
              format.count(trial.data.total),
              seconds.format(trial.data.seconds),
            )}
          </span>
        )}
        {isOfText && trial.error && <span className="red anywhere">{refusal(trial.error)}</span>}
      </span>
    </div>
  );
}
