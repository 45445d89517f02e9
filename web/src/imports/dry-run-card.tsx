import { IconCheck, IconUserMinus } from '@tabler/icons-react';
import { Failed } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { OutcomeFigures, outcomeOf } from './outcome.tsx';
import type { Trial } from './use-dry-run.ts';

/** What the import would do, as the dry run found it. */
export function DryRunCard({ trial, problem }: { readonly trial: Trial; readonly problem: string }) {
  const { words, language } = useWords();
  const texts = words.imports.dry;
  const { result, error, isPending, seconds } = trial;
  const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  return (
    <section className="card" aria-labelledby="dry-run" aria-busy={isPending}>
      <div className="card-head dry-head">
        <h2 id="dry-run">{texts.title}</h2>
        <span role="status">
          {isPending && <span className="pill">{texts.running}</span>}
          {!isPending && result && (
            <span className="pill green">
              <IconCheck size={14} aria-hidden />
              {texts.done(tenths.format(seconds))}
            </span>
          )}
        </span>
      </div>
      <div className="card-body stack" data-old={(isPending && result !== undefined) || undefined}>
        {problem !== '' && <p className="text-2">{texts.waits}</p>}
        {Boolean(error) && <Failed title={texts.failed} error={error} />}
        {problem === '' && !error && (
          <OutcomeFigures outcome={result && outcomeOf(result, result.nbUnchanged)} />
        )}
        {result && problem === '' && <Consequences trial={trial} />}
      </div>
    </section>
  );
}

/** What the five figures do not show: the people who stay unsubscribed, and what holds the import. */
function Consequences({ trial: { result: run } }: { readonly trial: Trial }) {
  const { words, format } = useWords();
  const texts = words.imports.dry;
  if (!run) return null;
  const first = run.rejectedRows[0]?.row;
  const people = (count: number) => [format.count(count), count === 1] as const;
  return (
    <>
      {run.isHeldBySafeMode && (
        <p className="note amber">
          {first === undefined ? texts.held : texts.heldByRow(format.count(first))}
        </p>
      )}
      {run.nbKeptUnsubscribed > 0 && (
        <p className="note">
          <IconUserMinus size={18} stroke={1.75} aria-hidden />
          <span>
            <strong className="strong">{texts.staying(...people(run.nbKeptUnsubscribed))}</strong>{' '}
            {texts.stayingWhy}
          </span>
        </p>
      )}
      {run.nbResubscribed > 0 && (
        <p className="note amber">{texts.returning(...people(run.nbResubscribed))}</p>
      )}
      {run.nbUnsubscribed > 0 && <p className="note amber">{texts.leaving(...people(run.nbUnsubscribed))}</p>}
      {run.nbForbiddenInserts > 0 && (
        <p className="note">{texts.leftOut(...people(run.nbForbiddenInserts))}</p>
      )}
    </>
  );
}
