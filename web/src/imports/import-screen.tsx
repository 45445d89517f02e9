import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { Failed, Loading, NotFound, Page, useNow } from '../parts/states.tsx';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { ImportState, useImports } from './import-list-screen.tsx';

const route = getRouteApi('/$site/imports/$idImport');
const liveMs = 1_000;

type Import = components['schemas']['Import'];
type ImportLog = components['schemas']['ImportLog'];

/** One import: until it starts, while it runs, and what came of it. */
export function ImportScreen() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { idImport: given } = route.useParams();
  const isId = /^[1-9]\d{0,8}$/.test(given);
  const queries = useQueryClient();
  const queryKey = ['imports', site.name, 'one', given];
  const isOpen = (data: Import | undefined) =>
    data !== undefined && !data.isDeleted && ['Scheduled', 'InProgress'].includes(data.importState);
  const isStreaming = useEvents('import', isOpen(queries.getQueryData<Import>(queryKey)), ({ idImport }) => {
    if (idImport === Number(given)) void queries.invalidateQueries({ queryKey });
  });
  const found = useQuery({
    queryKey,
    enabled: isId,
    refetchInterval: ({ state: { data } }) => isOpen(data) && (isStreaming ? besidesMs : liveMs),
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/imports/{idImport}', {
          params: { path: { idsite: site.name, idImport: Number(given) } },
        }),
      ),
  });
  if (!isId || isNotFound(found.error)) return <NotFound text={texts.notFound(given, site.name)} />;
  const { data } = found;
  const state = data?.importState;
  return (
    <Page
      title={data?.parameters.filename ?? texts.title}
      crumb={
        <Link to="/$site/imports" params={{ site: site.name }}>
          {texts.title}
        </Link>
      }
      sub={
        data?.isDeleted ? (
          <span className="state">{texts.cancelled}</span>
        ) : (
          state && <ImportState state={state} />
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
      {found.isPending && <Loading />}
      {data && !data.isDeleted && state === 'Scheduled' && <Waiting import={data} />}
      {data && state === 'InProgress' && <Running id={data.id} />}
      {state === 'PackageErrorCreation' && (
        <p className="note red" role="alert">
          {texts.failed} {data?.lastImportLog?.errorMessage}
        </p>
      )}
      {data?.lastImportLog && state === 'Completed' && (
        <Result log={data.lastImportLog} filename={data.parameters.filename} />
      )}
    </Page>
  );
}

/** The countdown until the import starts, and the way to cancel it. */
function Waiting({ import: { id, parameters, schedulingInfos } }: { readonly import: Import }) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const now = useNow();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const date = schedulingInfos && 'scheduledDate' in schedulingInfos ? schedulingInfos.scheduledDate : null;
  const left = date ? Math.ceil((Date.parse(String(date)) - now) / 1000) : 0;
  const cancel = async () => {
    try {
      const params = { path: { idsite: site.name, idImport: id } };
      await dataOf(api.DELETE('/v1/{idsite}/imports/{idImport}', { params }));
      await queries.invalidateQueries({ queryKey: ['imports', site.name] });
      toast({ text: texts.cancelledToast(parameters.filename) });
      await navigate({
        to: '/$site/imports/new',
        params: { site: site.name },
        search: { file: parameters.filename },
      });
    } catch (error) {
      toast({ text: refusal(error) });
    }
  };
  return (
    <div className="note ink" role="status">
      <p className="grow" aria-live="off">
        {left > 0 ? texts.startsIn(format.length(left)) : texts.starting}
      </p>
      {site.may('editor') && (
        <Button size="xs" onClick={() => void cancel()}>
          {texts.cancel}
        </Button>
      )}
    </div>
  );
}

function Running({ id }: { readonly id: number }) {
  const { words } = useWords();
  const texts = words.imports;
  const imports = useImports();
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
        <p className="small text-2">{texts.leave}</p>
      </div>
    </section>
  );
}

function Result({ log, filename }: { readonly log: ImportLog; readonly filename: string }) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const rejected = (log.nbErrorRows ?? 0) + (log.nbBadFormattedRows ?? 0) + (log.nbForbiddenInserts ?? 0);
  const figures = [
    { name: texts.figures.total, value: log.totalRows },
    { name: texts.figures.added, value: log.nbInserts },
    { name: texts.figures.changed, value: log.nbUpdates },
    { name: texts.figures.repeated, value: log.totalDuplicateKeys },
    { name: texts.figures.rejected, value: rejected },
  ];
  return (
    <>
      <p className="text-2">{texts.done}</p>
      <section className="card figures">
        {figures.map(({ name, value }) => (
          <div key={name}>
            <span className="small text-2">{name}</span>
            <span className="figure-2">{format.count(value ?? 0)}</span>
          </div>
        ))}
      </section>
      {rejected > 0 && (
        <section className="card">
          <h2 className="card-head">{texts.rejectedTitle}</h2>
          <p className="card-body text-2" style={{ overflowWrap: 'anywhere' }}>
            {texts.rejectedText(`${filename}.errors.csv`)}
          </p>
        </section>
      )}
      <p>
        <Link className="link" to="/$site/subscribers" params={{ site: site.name }}>
          {texts.toPeople}
        </Link>
      </p>
    </>
  );
}
