import { IconCheck, IconUserMinus } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Failed } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { type Kind, OutcomeFigures, outcomeOf } from './outcome.tsx';
import { type FileRow, FileRows } from './rejected-rows.tsx';
import type { DryRun, Trial } from './use-dry-run.ts';

/** What the import would do, as the dry run found it. */
export function DryRunCard({ trial, problem }: { readonly trial: Trial; readonly problem: string }) {
  const { words, language } = useWords();
  const texts = words.imports.dry;
  const { result, error, isPending, seconds } = trial;
  const id = useId();
  const [shown, setShown] = useState<Kind>();
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
      <div className="card-body stack dry-run" data-old={(isPending && result !== undefined) || undefined}>
        {problem !== '' && <p className="text-2">{texts.waits}</p>}
        {Boolean(error) && <Failed title={texts.failed} error={error} />}
        {problem === '' && !error && (
          <OutcomeFigures
            outcome={result && outcomeOf(result, result.nbUnchanged)}
            rows={{
              ...{ id, shown },
              show: (kind) => setShown(kind === shown ? undefined : kind),
            }}
          />
        )}
        <div id={id} hidden={!result || problem !== '' || shown === undefined}>
          {result && problem === '' && shown && <RowsOf run={result} kind={shown} />}
        </div>
        {result && problem === '' && <Consequences trial={trial} />}
      </div>
    </section>
  );
}

/** The rows of a dry run that a figure counts. */
const rowsOf = (run: DryRun, kind: Kind): readonly FileRow[] =>
  ({
    added: run.newRows,
    changed: run.changedRows,
    unchanged: run.unchangedRows,
    repeated: run.repeatedRows,
    rejected: run.rejectedRows,
  })[kind];

/** The first rows of the file that a figure counts. */
function RowsOf({ run, kind }: { readonly run: DryRun; readonly kind: Kind }) {
  const { words, format } = useWords();
  const { dry, outcome } = words.imports;
  const rows = rowsOf(run, kind);
  const total = outcomeOf(run, run.nbUnchanged)[kind];
  return (
    <>
      <h3 className="small strong" style={{ paddingBottom: 8 }}>
        {outcome.names[kind]}: {rows.length < total ? dry.first(format.count(rows.length)) : dry.all}
      </h3>
      <FileRows rows={rows} />
    </>
  );
}

/** What the five figures do not show: the people who stay unsubscribed, and what holds the import. */
function Consequences({ trial: { result: run } }: { readonly trial: Trial }) {
  const { words, format } = useWords();
  const texts = words.imports.dry;
  if (!run) return null;
  const first = run.rejectedRows[0]?.row;
  const people = (count: number) => [format.count(count), format.isOne(count)] as const;
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
