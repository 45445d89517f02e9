import { Button, TextInput } from '@mantine/core';
import { IconDownload, IconTarget } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { SideSheet } from '../parts/dialog.tsx';
import { saveText } from '../parts/save-file.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { daysOfGrowth } from './growth-people.ts';
import {
  areTooManyForTarget,
  canBeTarget,
  exportFault,
  mostExported,
  mostListed,
  type PeopleFigure,
  readEverybody,
  TooManyPeople,
  targetOf,
} from './people-figure.ts';
import { Limits, type PeopleLimits } from './people-limits.tsx';
import { PeopleList, useIsMissing } from './people-list.tsx';
import type { Scope } from './report-data.ts';
import { useReportWords } from './report-words.ts';
import './report.css';

interface PeopleProps {
  readonly figure: PeopleFigure | undefined;
  readonly close: () => void;
  /** The sendings that the figure is of; their segments, providers and links can limit the list. */
  readonly scope?: Scope;
  /** What is shown above the list. */
  readonly children?: ReactNode;
}

/** The people behind a figure: searchable, each leads to their profile, all of them to a target. */
export function People({ figure, close, scope, children }: PeopleProps) {
  return (
    <SideSheet
      className="tall"
      isOpen={figure !== undefined}
      close={close}
      title={figure && <span className="anywhere">{figure.title}</span>}
    >
      {figure && children}
      {figure && <BehindFigure figure={figure} close={close} scope={scope} />}
    </SideSheet>
  );
}

interface BehindFigureProps {
  readonly figure: PeopleFigure;
  readonly close: () => void;
  readonly scope: Scope | undefined;
}

function BehindFigure({ figure: whole, close, scope }: BehindFigureProps) {
  const site = useSite();
  const [limits, setLimits] = useState<PeopleLimits>({});
  const figure = { ...whole, ...limits, isLimited: Object.keys(limits).length > 0 };
  const isMissing = useIsMissing(figure);
  return (
    <div className="stack tight">
      <PeopleList figure={figure}>
        {scope && <Limits figure={whole} scope={scope} limits={limits} set={setLimits} />}
      </PeopleList>
      {/* A file would have the audience of a campaign selected again for each of its pages. */}
      {site.may('editor') && figure.source !== 'segment' && !isMissing && (
        <div className="people-acts">
          {exportFault(figure) ? <ExportLimit figure={figure} /> : <ExportPeople figure={figure} />}
          {canBeTarget(figure) && <TargetForm figure={figure} close={close} />}
          {areTooManyForTarget(figure) && <TargetLimit />}
        </div>
      )}
    </div>
  );
}

/** Quotes a value for a file that a spreadsheet opens; a value that looks like a formula is text. */
const quoted = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r]/, "'$&")
    .replaceAll('"', '""')}"`;

/** Returns a signal that ends when the component is gone. */
function useGone(): () => AbortSignal {
  const gone = useRef(new AbortController());
  useEffect(() => {
    // Mounted twice in development, it is gone once before it is there.
    gone.current = new AbortController();
    return () => gone.current.abort();
  }, []);
  return () => gone.current.signal;
}

/** Saves the people as a CSV file, which is read page by page. */
function ExportPeople({ figure }: { readonly figure: PeopleFigure }) {
  const { format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const refusal = useRefusal();
  const say = useServiceText();
  const [read, setRead] = useState<number>();
  const gone = useGone();
  const save = async () => {
    setRead(0);
    const signal = gone();
    try {
      const all = Number.POSITIVE_INFINITY;
      const people = await readEverybody(site.name, figure, all, { signal, read: setRead });
      const rows = people.map(({ idSubscriber, email, reason }) => [
        idSubscriber,
        email ?? '',
        say(reason ?? '').text,
      ]);
      const lines = [report.csvHead, ...rows].map((row) => row.map(quoted).join(';'));
      const ids = figure.growth ? daysOfGrowth(figure.growth) : figure.ids.join('-').slice(0, 60);
      const what = figure.days === undefined ? ids : report.csvDays(figure.days);
      saveText(`${report.csvName}-${what}.csv`, `\ufeff${lines.join('\r\n')}\r\n`);
    } catch (failure) {
      if (signal.aborted) return;
      toast({ text: refusal(failure), seconds: 10 });
    }
    setRead(undefined);
  };
  return (
    <Button
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={read !== undefined}
      onClick={() => void save()}
    >
      {read === undefined ? report.export : report.reading(format.count(read))}
    </Button>
  );
}

/** Says why there is no way to a file. */
function ExportLimit({ figure }: { readonly figure: PeopleFigure }) {
  const { format } = useWords();
  const report = useReportWords();
  return (
    <p className="small text-2">
      {exportFault(figure) === 'isDrawn'
        ? report.exportDrawn
        : report.exportLimit(format.count(mostExported))}
    </p>
  );
}

/** Says why there is no way to a target. */
function TargetLimit() {
  const { format } = useWords();
  const report = useReportWords();
  return <p className="small text-2">{report.targetLimit(format.count(mostListed))}</p>;
}

/** Asks for a name, and makes a target of the people. */
function TargetForm({ figure, close }: { readonly figure: PeopleFigure; readonly close: () => void }) {
  const { words, format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const gone = useGone();
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    const signal = gone();
    try {
      const { count } = await targetOf(site.name, name.trim(), figure, signal);
      await queries.invalidateQueries({ queryKey: ['targets', site.name] });
      const people = words.campaigns.people(format.count(count), format.isOne(count));
      toast({ text: report.targetMade(name.trim(), people), seconds: 10 });
      close();
    } catch (failure) {
      if (signal.aborted) return;
      const isTooMany = failure instanceof TooManyPeople;
      setError(isTooMany ? report.tooManyForTarget(format.count(mostListed)) : refusal(failure));
      setBusy(false);
    }
  };
  if (!isOpen)
    return (
      <Button
        variant="filled"
        leftSection={<IconTarget size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {report.target}
      </Button>
    );
  return (
    <form className="stack tight grow" onSubmit={(event) => void make(event)}>
      <TextInput
        data-autofocus
        autoFocus
        required
        withAsterisk={false}
        maxLength={255}
        label={report.targetName}
        description={report.targetText}
        value={name}
        error={error || undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" variant="filled" loading={isBusy} disabled={name.trim() === ''}>
          {report.makeTarget}
        </Button>
      </div>
    </form>
  );
}
