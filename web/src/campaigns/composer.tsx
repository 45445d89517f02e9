import { Button, Tabs, TextInput } from '@mantine/core';
import { IconClock, IconMailCheck, IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { DraftNote } from '../parts/draft-note.tsx';
import { StateOf } from '../parts/state.tsx';
import { useTitle } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useRail } from '../shell/rail.ts';
import { useWayBack } from '../shell/way-back.ts';
import { useWords } from '../words/words.tsx';
import { Audience } from './audience.tsx';
import { type Campaign, isScheduled, stateOf } from './campaign.ts';
import type { ReadCampaign } from './campaign-query.ts';
import { Checklist, MissingItems } from './checklist.tsx';
import { ConfirmSending } from './confirm-sending.tsx';
import { CampaignConflict } from './conflict.tsx';
import { Divider, useSourceShare } from './divider.tsx';
import { Links } from './links.tsx';
import { Options } from './options.tsx';
import { Preview } from './preview.tsx';
import { ScheduleNote, SchedulePart, When } from './schedule.tsx';
import { SegmentsPart } from './segments.tsx';
import { SendTest } from './send-test.tsx';
import { WhyNotSent } from './sent-before.tsx';
import { Source } from './source.tsx';
import { useChecked, useSettled } from './use-checked.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { type Part, parts, usePlaces } from './use-places.ts';
import { useReaders } from './use-readers.ts';
import './composer.css';
import './composer-parts.css';

/** Where one campaign is written, checked and sent, in any order. */
export function Composer({ campaign }: { readonly campaign: ReadCampaign }) {
  const { words } = useWords();
  const site = useSite();
  const mayEdit = site.may('editor');
  const draft = useDraft(campaign, mayEdit);
  const [pane, setPane] = useState<Pane>('write');
  const [isWide, setWide] = useState(false);
  const share = useSourceShare();
  const [dialog, setDialog] = useState<Dialog>();
  useRail();
  useWayBack('campaigns');
  useTitle(draft.content.name);
  useUnsavedWarning(draft);
  const open = async (next: Dialog) => {
    if (await draft.save()) setDialog(next);
  };
  const close = () => setDialog(undefined);
  const settled = useSettled(draft.content);
  const checked = useChecked(campaign.id, settled);
  const readers = useReaders(campaign.id, settled);
  const { part, setPart, goTo, editor, source, setSource } = usePlaces(draft.content, !mayEdit, () =>
    setPane('write'),
  );
  const review = site.may('sender') && !isScheduled(campaign) ? () => void open('confirm') : undefined;
  const widen = () => setWide((before) => !before);
  const acts = { save: mayEdit ? () => void draft.save() : undefined, review, step: readers.step, widen };
  const keys = useComposerKeys(acts);
  return (
    <div className="composer">
      <header className="composer-head">
        <div className="grow">
          <div className="crumb">
            <Link to="/$site/campaigns" params={{ site: site.name }} search={{}}>
              {words.campaigns.title}
            </Link>
            <span aria-hidden>›</span>
            <span>{campaign.id}</span>
          </div>
          <h1 className="hidden">{draft.content.name}</h1>
          <div className="row">
            <TextInput
              className="composer-name"
              variant="unstyled"
              aria-label={words.composer.name}
              readOnly={!mayEdit}
              value={draft.content.name}
              onChange={(event) => draft.change({ name: event.currentTarget.value })}
            />
            <StateOf state={stateOf(campaign)} />
            <SavingState draft={draft} />
            <MissingItems campaign={campaign} checked={checked} />
          </div>
        </div>
        {site.may('sender') && (
          <Actions campaign={campaign} open={(next) => void open(next)} plan={() => setPart('schedule')} />
        )}
      </header>
      <Notes campaign={campaign} draft={draft} mayEdit={mayEdit} />
      <Tabs
        className="composer-parts"
        keepMounted={false}
        value={part}
        onChange={(next) => setPart((next ?? 'content') as Part)}
      >
        <Tabs.List className="composer-tabs" aria-label={words.composer.part}>
          {parts.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {words.campaignParts.tabs[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div className="composer-panes" data-pane={pane} data-wide={isWide || undefined}>
          <Tabs.Panel value="content" className="composer-content" style={share.style}>
            <Source
              ref={editor}
              part={source}
              setPart={setSource}
              campaign={campaign}
              draft={draft}
              isReadOnly={!mayEdit}
              checked={checked}
              idReader={readers.message?.idSubscriber}
              keys={keys}
            >
              <PaneSwitch pane={pane} setPane={setPane} />
            </Source>
            <Divider share={share.share} change={share.change} />
            <Preview content={settled} readers={readers} />
          </Tabs.Panel>
          <Tabs.Panel value="options" className="composer-part">
            <Options campaign={campaign} draft={draft} isReadOnly={!mayEdit} />
          </Tabs.Panel>
          <Tabs.Panel value="audience" className="composer-part">
            <SegmentsPart campaign={campaign} draft={draft} isReadOnly={!mayEdit} />
          </Tabs.Panel>
          <Tabs.Panel value="links" className="composer-part">
            <Links campaign={campaign} isReadOnly={!mayEdit} />
          </Tabs.Panel>
          <Tabs.Panel value="schedule" className="composer-part">
            <SchedulePart campaign={campaign} save={draft.save} goTo={goTo} sendNow={review} />
          </Tabs.Panel>
          <aside className="composer-rail" aria-label={words.composer.checklist}>
            <div className="rail-body">
              <Checklist
                campaign={campaign}
                checked={checked}
                mayCheckSpam={mayEdit && !draft.isDirty}
                goTo={goTo}
              />
              <Audience campaign={campaign} isReadOnly={!mayEdit} />
              <When campaign={campaign} plan={() => setPart('schedule')} />
            </div>
          </aside>
        </div>
      </Tabs>
      <ConfirmSending campaign={campaign} isOpen={dialog === 'confirm'} close={close} goTo={goTo} />
      <SendTest campaign={campaign} isOpen={dialog === 'test'} close={close} />
    </div>
  );
}

type Pane = 'write' | 'preview';

interface PaneSwitchProps {
  readonly pane: Pane;
  readonly setPane: (pane: Pane) => void;
}

/** Shows the source or the preview, where there is room for one. */
function PaneSwitch({ pane, setPane }: PaneSwitchProps) {
  const { composer } = useWords().words;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="segments composer-switch" role="group" aria-label={composer.part}>
      {(['write', 'preview'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={one === pane} onClick={() => setPane(one)}>
          {composer.parts[one]}
        </button>
      ))}
    </div>
  );
}

interface ComposerActs {
  readonly save: (() => void) | undefined;
  readonly review: (() => void) | undefined;
  readonly step: (by: 1 | -1) => void;
  /** Shows the preview over the whole width, or the source again. */
  readonly widen: () => void;
}

/** The keys of the composer; returns those that the editor must leave to it. */
function useComposerKeys(acts: ComposerActs) {
  const { words } = useWords();
  const { composer } = words;
  const latest = useRef(acts);
  latest.current = acts;
  const hasSave = acts.save !== undefined;
  const hasReview = acts.review !== undefined;
  const shortcuts = useMemo(
    () =>
      [
        hasSave && { keys: 'mod+s', label: composer.saveNow, run: () => latest.current.save?.() },
        hasReview && { keys: 'mod+Enter', label: composer.review, run: () => latest.current.review?.() },
        { keys: 'mod+.', label: composer.widePreview, run: () => latest.current.widen() },
        { keys: 'alt+ArrowLeft', label: composer.readerBefore, run: () => latest.current.step(-1) },
        { keys: 'alt+ArrowRight', label: composer.readerAfter, run: () => latest.current.step(1) },
      ].flatMap((one) => (one ? [{ ...one, inFields: true }] : [])),
    [composer, hasSave, hasReview],
  );
  useShortcuts(shortcuts);
  return useMemo(
    () =>
      shortcuts.map(({ keys, run }) => ({
        key: keys.replace('mod+', 'Mod-').replace('alt+', 'Alt-'),
        run,
      })),
    [shortcuts],
  );
}

/** A dialog of the composer. */
type Dialog = 'test' | 'confirm';

/** Test and send. A campaign that waits for a date cannot be sent before its schedule is removed. */
function Actions({ campaign, open, plan }: ActionsProps) {
  const { words } = useWords();
  const { composer } = words;
  const [Icon, label, act] = isScheduled(campaign)
    ? [IconClock, composer.schedule.change, plan]
    : [IconSend, composer.review, () => open('confirm')];
  return (
    <div className="composer-acts bottom-bar">
      <Button leftSection={<IconMailCheck size={16} aria-hidden />} onClick={() => open('test')}>
        {composer.test.button}
      </Button>
      <Button variant="filled" leftSection={<Icon size={16} aria-hidden />} onClick={act}>
        {label}
      </Button>
    </div>
  );
}
interface ActionsProps {
  readonly campaign: Campaign;
  readonly open: (dialog: Dialog) => void;
  /** Leads to the part that sets the date. */
  readonly plan: () => void;
}

/** Asks before the tab is closed over changes that are only in this browser. */
function useUnsavedWarning({ isDirty, error }: Draft): void {
  useEffect(() => {
    if (!isDirty || error === undefined) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty, error]);
}

function SavingState({ draft }: { readonly draft: Draft }) {
  const { words, format } = useWords();
  const { composer } = words;
  const text = draft.isSaving
    ? composer.saving
    : draft.error !== undefined && draft.isDirty
      ? composer.keptHere
      : draft.isDirty
        ? composer.unsaved
        : draft.takenAt
          ? composer.takenOver(format.time(draft.takenAt))
          : draft.savedAt && composer.saved(format.time(draft.savedAt));
  return (
    <span className="small text-3" role="status">
      {text}
    </span>
  );
}

interface NotesProps {
  readonly campaign: Campaign;
  readonly draft: Draft;
  readonly mayEdit: boolean;
}

function Notes({ campaign, draft, mayEdit }: NotesProps) {
  const { words } = useWords();
  const site = useSite();
  const refusal = useRefusal();
  const { composer } = words;
  return (
    <div className="composer-notes">
      <ScheduleNote campaign={campaign} />
      <WhyNotSent campaign={campaign} />
      {!mayEdit && (
        <p className="note">
          {composer.readOnly} {words.shell.noRight}
        </p>
      )}
      {mayEdit && !site.may('sender') && (
        <p className="note">
          {words.rights.sending} {words.shell.noRight}
        </p>
      )}
      {draft.conflict && <CampaignConflict draft={draft} theirs={draft.conflict} />}
      {draft.isRestored && !draft.conflict && <DraftNote discard={draft.discard} />}
      {draft.error !== undefined && draft.isDirty && (
        <div className="note amber" role="alert">
          <span className="grow">
            {composer.notSaved} {refusal(draft.error)}
          </span>
          <button type="button" className="link" onClick={() => void draft.save()}>
            {words.errors.tryAgain}
          </button>
        </div>
      )}
    </div>
  );
}
