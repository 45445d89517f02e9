import { Button, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArchive, IconCopy, IconLock, IconLockOpen, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { useRefusal } from '../api/use-refusal.ts';
import type { Versioned } from '../api/versions.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DraftNote } from '../parts/draft-note.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { useLastChange } from '../parts/use-last-change.ts';
import { useSite } from '../session/session.tsx';
import { type Field, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { Conditions } from './conditions.tsx';
import { FilterList } from './filter-list.tsx';
import { InWords } from './in-words.tsx';
import { Limits } from './limits.tsx';
import { readTarget, type WholeTarget } from './read-target.ts';
import { faultOf } from './sentence.tsx';
import { type Target, useTargetActions } from './target.ts';
import { TargetConflict } from './target-conflict.tsx';
import { CountCard, SomePeople } from './target-people.tsx';
import { StepsCard, useSteps } from './target-steps.tsx';
import './targets.css';
import { brokenKind, useCount } from './use-count.ts';
import {
  type FilterPart,
  isStoredSafe,
  type SaveState,
  type TargetDraft,
  useTargetDraft,
} from './use-target-draft.ts';
import { UsedIn, useUses } from './used-in.tsx';

const route = getRouteApi('/$site/targets/$idTarget');

const CopyFilter = lazyPart(async () => (await import('./copy-filter.tsx')).CopyFilter);

/** One target: who is selected, and how many they are. */
export function TargetScreen() {
  const { words } = useWords();
  const site = useSite();
  const { idTarget: given } = route.useParams();
  const idTarget = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
  const fields = useFields();
  const target = useQuery({
    queryKey: ['targets', site.name, idTarget],
    enabled: idTarget !== undefined,
    queryFn: () => readTarget(site.name, idTarget!),
    // The builder holds what is edited; reading it again would not change what it shows.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (idTarget === undefined || isNotFound(target.error))
    return <NotFound text={words.targets.notFound(given, site.name)} />;
  const error = target.error ?? fields.error;
  // What is edited stays on the screen when a later read fails.
  if (error && !(target.data && fields.data))
    return (
      <Page title={words.targets.title}>
        <section className="card">
          <Failed error={error} retry={() => void Promise.all([target.refetch(), fields.refetch()])} />
        </section>
      </Page>
    );
  if (!target.data || !fields.data)
    return (
      <Page title={words.targets.title}>
        <Loading />
      </Page>
    );
  return <Builder key={idTarget} whole={target.data} fields={fields.data} />;
}

interface BuilderProps {
  readonly whole: Versioned<WholeTarget>;
  readonly fields: readonly Field[];
}

function Builder({ whole, fields }: BuilderProps) {
  const { target } = whole.value;
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const mayEdit = site.may('editor') && !target.isArchived;
  const edited = useTargetDraft(whole, mayEdit);
  const act = useAct();
  const { draft, state, saved, change, save, setParameters, setFilter, isIncomplete } = edited;
  const safe = isSafe(draft) && isStoredSafe(saved);
  const count = useCount(target.id, saved, state);
  const steps = useSteps(target.id, saved, state);
  const uses = useUses(target.id);
  const { name } = draft.parameters;
  const broken = brokenKind(count.error);
  const isPhone = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  const archive = <Archive target={target} name={name} scheduled={uses.scheduled} />;
  /** The filter that is copied into another target. */
  const [copied, setCopied] = useState<FilterPart>();
  return (
    <Page
      title={name || target.parameters.name}
      thingOf="targets"
      hasBar={site.may('editor')}
      sub={
        <>
          <Safety safe={safe} mayEdit={mayEdit && !isSafe(draft)} change={change} />
          <Saved state={state} isIncomplete={isIncomplete} changed={target.lastUpdateDate} id={target.id} />
        </>
      }
      actions={
        site.may('editor') && (
          <Actions target={target} name={name} safe={safe}>
            {!isPhone && archive}
          </Actions>
        )
      }
    >
      {edited.conflict && (
        <TargetConflict
          {...edited}
          theirs={edited.conflict}
          fields={fields}
          target={{ idTarget: target.id }}
        />
      )}
      {edited.isRestored && !edited.conflict && <DraftNote discard={() => act(edited.discardKept)} />}
      <NotSaved state={state} save={save} />
      {target.isArchived && <p className="note">{texts.isArchived}</p>}
      <div className="columns">
        <div className="stack tight">
          {mayEdit && (
            <TextInput
              label={texts.rename}
              value={name}
              maxLength={255}
              error={name.trim() === '' ? texts.noName : undefined}
              onChange={(event) => setParameters({ name: event.currentTarget.value })}
            />
          )}
          <p className="text-2">{texts.lead}</p>
          <Conditions
            draft={draft}
            saved={saved}
            fields={fields}
            error={state.errors.field}
            countError={count.error}
            change={change}
            mayEdit={mayEdit}
            copy={() => setCopied('field')}
          />
          <FilterList
            filters={draft.filters}
            begun={{
              kinds: draft.begun ?? [],
              saved,
              isKnown: uses.isRead,
              mayBeScheduled: !uses.isRead || uses.scheduled > 0,
            }}
            fields={fields}
            mayEdit={mayEdit}
            errors={{ ...(broken && { [broken]: count.error }), ...state.errors }}
            setFilter={setFilter}
            copy={setCopied}
          />
          <Limits
            idTarget={target.id}
            parameters={draft.parameters}
            mayEdit={mayEdit}
            error={state.errors.parameters}
            set={setParameters}
          />
        </div>
        <div className="stack tight target-side">
          <CountCard
            count={count}
            steps={steps}
            hasSteps={!isPhone}
            isTestTarget={draft.parameters.isTestTarget}
            isIncomplete={isIncomplete}
          />
          {isPhone && <StepsCard steps={steps} />}
          <InWords idTarget={target.id} state={state} />
          {!count.error && <SomePeople idTarget={target.id} state={state} number={count.number} />}
          <UsedIn uses={uses} />
          {isPhone && site.may('editor') && <div>{archive}</div>}
        </div>
      </div>
      {copied && (
        <Opened close={() => setCopied(undefined)}>
          <CopyFilter
            idTarget={target.id}
            part={copied}
            draft={draft}
            fields={fields}
            close={() => setCopied(undefined)}
          />
        </Opened>
      )}
    </Page>
  );
}

interface SafetyProps {
  readonly safe: boolean;
  /** Whether the user may make it safe. */
  readonly mayEdit: boolean;
  readonly change: (next: Partial<TargetDraft>) => void;
}

/** Whether campaigns can be sent to the target, and how to make it so. */
function Safety({ safe, mayEdit, change }: SafetyProps) {
  const texts = useWords().words.targets;
  const Glyph = safe ? IconLock : IconLockOpen;
  return (
    <>
      <span className={safe ? 'pill green' : 'pill amber'}>
        <Glyph size={14} aria-hidden />
        {safe ? texts.safe : texts.unsafe}
      </span>
      {mayEdit && (
        <Button size="xs" onClick={() => change({ subscribedOnly: true, isEnabled: true })}>
          {texts.makeSafe}
        </Button>
      )}
    </>
  );
}

const isSafe = ({ subscribedOnly, isEnabled }: Pick<TargetDraft, 'subscribedOnly' | 'isEnabled'>): boolean =>
  subscribedOnly && isEnabled;

interface ActionsProps {
  readonly target: Target;
  readonly name: string;
  /** Whether campaigns can be sent to it. */
  readonly safe: boolean;
  readonly children: ReactNode;
}

/** Duplicates the target, or begins a campaign to its people: on a phone, in a bar instead of the navigation. */
function Actions({ target, name, safe, children }: ActionsProps) {
  const { words } = useWords();
  const texts = words.targets;
  const { duplicate, writeTo } = useTargetActions();
  return (
    <>
      <Button
        leftSection={<IconCopy size={16} aria-hidden />}
        onClick={() => void duplicate(target.id, name)}
      >
        {texts.duplicate}
      </Button>
      {children}
      {safe && !target.isArchived && (
        <Button
          variant="filled"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => void writeTo(target.id, name)}
        >
          {texts.writeTo}
        </Button>
      )}
    </>
  );
}

interface ArchiveProps {
  readonly target: Target;
  readonly name: string;
  /** How many scheduled campaigns use it. */
  readonly scheduled: number;
}

/** Archives or restores the target. If scheduled campaigns use it, the user confirms it first. */
function Archive({ target, name, scheduled }: ArchiveProps) {
  const { words } = useWords();
  const { archive } = useTargetActions();
  const texts = words.targets;
  const [isAsked, setAsked] = useState(false);
  const run = () => {
    setAsked(false);
    void archive(target.id, name, !target.isArchived);
  };
  return (
    <>
      <Button
        leftSection={<IconArchive size={16} aria-hidden />}
        onClick={() => (scheduled > 0 && !target.isArchived ? setAsked(true) : run())}
      >
        {target.isArchived ? texts.restore : texts.archive}
      </Button>
      <Dialog isOpen={isAsked} close={() => setAsked(false)} title={texts.archiveTitle(name)}>
        <div className="stack tight">
          <p>{texts.archiveText(scheduled)}</p>
          <div className="row">
            <Button data-autofocus onClick={() => setAsked(false)}>
              {texts.keep}
            </Button>
            <Button onClick={run}>{texts.archive}</Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}

interface SavedProps {
  readonly state: SaveState;
  readonly isIncomplete: boolean;
  /** When the target was last changed before this visit. */
  readonly changed: string;
  readonly id: number;
}

function Saved({ state, isIncomplete, changed, id }: SavedProps) {
  const by = useLastChange({ idTarget: id }, changed)?.userName;
  const { words, format } = useWords();
  const texts = words.targets;
  if (isIncomplete) return <span className="amber">{texts.notComplete}</span>;
  if (state.kind === 'saved' && state.at === 0)
    return <span>{texts.changed(format.moment(changed), by)}</span>;
  if (state.kind === 'saved') return <span>{texts.saved(format.time(new Date(state.at)))}</span>;
  return <span>{state.kind === 'saving' ? texts.saving : texts.unsaved}</span>;
}

function NotSaved({ state, save }: { readonly state: SaveState; readonly save: () => void }) {
  const { words } = useWords();
  const refusal = useRefusal();
  // An error about a property is shown where it is typed.
  const error = Object.values(state.errors).find((one) => one && !faultOf(one));
  if (state.kind !== 'failed' || !error) return null;
  return (
    <div className="note red" role="alert">
      <p className="grow">
        {words.targets.unsaved}. {refusal(error)}
      </p>
      <Button size="xs" onClick={save}>
        {words.errors.tryAgain}
      </Button>
    </div>
  );
}
