import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { Failed, Loading, NotFound, Page, useNow } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { DropAnywhere } from './drop-anywhere.tsx';
import { ImportState, useImports } from './import-list-screen.tsx';
import { importQuery } from './import-query.ts';
import './imports.css';
import { importScheduleOf } from './import-schedule.ts';
import { OutcomeFigures, OutcomeList, outcomeOfLog, outcomeSoFar } from './outcome.tsx';
import { Rejected } from './rejected-file.tsx';
import { useUndoImport } from './use-undo-import.ts';

const ChangeSchedule = lazyPart(async () => (await import('./change-schedule.tsx')).ChangeSchedule);
const EarlierRuns = lazyPart(async () => (await import('./earlier-runs.tsx')).EarlierRuns);
const RuleText = lazyPart(async () => (await import('../parts/daily-fields.tsx')).RuleText);

const route = getRouteApi('/$site/imports/$idImport');
const liveMs = 1_000;

type Import = components['schemas']['Import'];
type ImportLog = components['schemas']['ImportLog'];

/** The file of an import: of a recurring one, the pattern of its names. */
function nameOf({ parameters, schedulingInfos }: Import): string {
  const pattern = 'recurringInfos' in schedulingInfos && schedulingInfos.recurringInfos?.filenameTemplate;
  return pattern || parameters.filename;
}

const isRecurring = ({ schedulingInfos }: Import): boolean =>
  'isRecurring' in schedulingInfos && schedulingInfos.isRecurring;

/** One import: until it starts, while it runs, and what came of it. */
export function ImportScreen() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { idImport: given } = route.useParams();
  const isId = /^[1-9]\d{0,8}$/.test(given);
  const queries = useQueryClient();
  const known = importQuery(site.name, Number(given));
  const { queryKey } = known;
  const isOpen = (data: Import | undefined) =>
    data !== undefined && !data.isDeleted && ['Scheduled', 'InProgress'].includes(data.importState);
  const isStreaming = useEvents('import', isOpen(queries.getQueryData<Import>(queryKey)), ({ idImport }) => {
    if (idImport === Number(given)) void queries.invalidateQueries({ queryKey });
  });
  const found = useQuery({
    ...known,
    enabled: isId,
    refetchInterval: ({ state: { data } }) => isOpen(data) && (isStreaming ? besidesMs : liveMs),
  });
  if (!isId || isNotFound(found.error)) return <NotFound text={texts.notFound(given, site.name)} />;
  const { data } = found;
  const state = data?.importState;
  return (
    <Page
      title={data ? nameOf(data) : texts.title}
      thingOf="imports"
      sub={
        data?.isDeleted ? (
          <span className="state">{texts.cancelled}</span>
        ) : (
          data && <StateOfOne import={data} />
        )
      }
      actions={
        <LinkButton to="/$site/imports" params={{ site: site.name }}>
          {texts.again}
        </LinkButton>
      }
    >
      {found.error && !data && (
        <section className="card">
          <Failed error={found.error} retry={() => void found.refetch()} />
        </section>
      )}
      {site.may('editor') && <DropAnywhere />}
      {found.isPending && <Loading />}
      {data && !data.isDeleted && isRecurring(data) && state !== 'InProgress' && <Nightly import={data} />}
      {data && !data.isDeleted && state === 'Scheduled' && !isRecurring(data) && <Waiting import={data} />}
      {data && state === 'InProgress' && <Running id={data.id} />}
      {state === 'PackageErrorCreation' && (
        <p className="note red" role="alert">
          {texts.failed} <Reason text={data?.lastImportLog?.errorMessage ?? ''} />
        </p>
      )}
      {data?.lastImportLog && (state === 'Completed' || (isRecurring(data) && state !== 'InProgress')) && (
        <Result import={data} log={data.lastImportLog} />
      )}
      {data && isRecurring(data) && data.lastImportLog && (
        <Opened>
          <EarlierRuns
            id={data.id}
            last={data.lastImportLog.startDate}
            isLastShown={state !== 'InProgress'}
          />
        </Opened>
      )}
    </Page>
  );
}

/** Why an import failed or changed nothing. */
function Reason({ text }: { readonly text: string }) {
  const { text: said, lang } = useServiceText()(text);
  return <span lang={lang}>{said}</span>;
}

/** The state of one import; while it runs, how far it is. */
function StateOfOne({ import: one }: { readonly import: Import }) {
  const { importState, schedulingInfos, lastImportLog } = one;
  const start = 'scheduledDate' in schedulingInfos ? String(schedulingInfos.scheduledDate) : undefined;
  if (importState === 'InProgress') return <RunningState id={one.id} />;
  return <ImportState state={importState} start={start} figures={lastImportLog} />;
}

function RunningState({ id }: { readonly id: number }) {
  const item = useImports({ part: 'InProgress' }).data?.items.find((one) => one.id === id);
  return <ImportState state="InProgress" progression={item?.progression} />;
}

/** The countdown until the import starts, and the way to cancel it. */
function Waiting({ import: { id, parameters, schedulingInfos } }: { readonly import: Import }) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const now = useNow();
  const navigate = useNavigate();
  const undo = useUndoImport();
  const act = useAct();
  const date = schedulingInfos && 'scheduledDate' in schedulingInfos ? schedulingInfos.scheduledDate : null;
  const left = date ? Math.ceil((Date.parse(String(date)) - now) / 1000) : 0;
  const cancel = async () => {
    await undo(id, parameters.filename);
    await navigate({
      to: '/$site/imports/new',
      params: { site: site.name },
      search: { file: parameters.filename },
    });
  };
  return (
    <div className="note ink" role="status">
      <p className="grow" aria-live="off">
        {left > 0 ? texts.startsIn(format.length(left)) : texts.starting}
      </p>
      {site.may('editor') && (
        <Button size="xs" onClick={() => act(cancel)}>
          {texts.cancel}
        </Button>
      )}
    </div>
  );
}

function Running({ id }: { readonly id: number }) {
  const { words } = useWords();
  const texts = words.imports;
  const imports = useImports({ part: 'InProgress' });
  const item = imports.data?.items.find((one) => one.id === id);
  const percent = Number.parseInt(item?.progression ?? '0', 10) || 0;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.running}</h2>
        <span className="aside">{percent} %</span>
      </div>
      <div className="card-body stack tight">
        <div
          className="meter thick"
          role="progressbar"
          aria-label={texts.progress}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${percent}%`, background: 'var(--f-c1)' }} />
        </div>
        <OutcomeList outcome={item && outcomeSoFar(item)} isDone />
        <p className="small text-2">{texts.leave}</p>
      </div>
    </section>
  );
}

/** What the last run did, and the rows that it rejected. */
function Result({ import: one, log }: { readonly import: Import; readonly log: ImportLog }) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const rejected = log.nbErrorRows + log.nbBadFormattedRows;
  return (
    <>
      <section className="card">
        <div className="card-head">
          <h2>{texts.done}</h2>
          <span className="aside">
            {texts.rows(format.count(log.totalRows), format.isOne(log.totalRows))}
          </span>
        </div>
        <div className="card-body stack">
          {log.errorMessage && (
            <p className="note amber anywhere" role="status">
              <Reason text={log.errorMessage} />
            </p>
          )}
          <OutcomeFigures outcome={outcomeOfLog(log)} isDone run={{ idImport: one.id, idLog: log.id }} />
          {log.nbForbiddenInserts > 0 && (
            <p className="note">
              {texts.dry.leftOut(format.count(log.nbForbiddenInserts), format.isOne(log.nbForbiddenInserts))}
            </p>
          )}
        </div>
      </section>
      {rejected > 0 && <Rejected import={one} log={log} count={rejected} />}
      <p>
        <Link className="link" to="/$site/subscribers" params={{ site: site.name }}>
          {texts.toPeople}
        </Link>
      </p>
    </>
  );
}

/** When the recurring import runs, and the ways to pause, resume and delete it. */
function Nightly({ import: one }: { readonly import: Import }) {
  const { id, importState, schedulingInfos } = one;
  const [isAsked, setAsked] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const schedule = importScheduleOf(one);
  const isOpen = importState === 'Scheduled' || importState === 'Paused';
  const { words, format } = useWords();
  const texts = words.imports.nightly;
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const params = { path: { idsite: site.name, idImport: id } };
  const then = async (call: Promise<unknown>) => {
    await call;
    await queries.invalidateQueries({ queryKey: ['imports', site.name] });
  };
  const pause = () => then(dataOf(api.POST('/v1/{idsite}/imports/{idImport}/pause', { params })));
  const resume = () => then(dataOf(api.POST('/v1/{idsite}/imports/{idImport}/resume', { params })));
  const remove = () => then(dataOf(api.DELETE('/v1/{idsite}/imports/{idImport}', { params })));
  return (
    <div className="note ink nightly" role="status">
      <div className="grow">
        {importState === 'Scheduled' && <p>{texts.next(format.moment(schedulingInfos.scheduledDate))}</p>}
        {importState === 'Paused' && <p>{texts.paused}</p>}
        {importState === 'Scheduled' && schedule && (
          <Opened>
            <p>
              <RuleText rule={schedule.rule} />
            </p>
          </Opened>
        )}
        {!isOpen && <p>{texts.ended}</p>}
      </div>
      {site.may('editor') && (
        <>
          {importState === 'Scheduled' && (
            <Button size="xs" onClick={() => act(pause)}>
              {texts.pause}
            </Button>
          )}
          {importState === 'Paused' && (
            <Button size="xs" onClick={() => act(resume)}>
              {texts.resume}
            </Button>
          )}
          {isOpen && schedule && (
            <Button size="xs" onClick={() => setChanged(true)}>
              {texts.change}
            </Button>
          )}
          <Button size="xs" onClick={() => setAsked(true)}>
            {texts.remove}
          </Button>
        </>
      )}
      {isChanged && schedule && (
        <Opened close={() => setChanged(false)}>
          <ChangeSchedule idImport={id} stored={schedule} close={() => setChanged(false)} />
        </Opened>
      )}
      {isAsked && (
        <Confirm
          title={texts.removeTitle(nameOf(one))}
          text={texts.removeText}
          action={texts.remove}
          close={() => setAsked(false)}
          confirm={remove}
        />
      )}
    </div>
  );
}
