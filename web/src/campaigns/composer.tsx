import { Button, TextInput } from '@mantine/core';
import { IconClock, IconMailCheck, IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { StateOf } from '../parts/state.tsx';
import { useTitle } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useRail } from '../shell/rail.ts';
import { useWords } from '../words/words.tsx';
import { Audience } from './audience.tsx';
import { type Campaign, isScheduled, stateOf } from './campaign.ts';
import { Checklist } from './checklist.tsx';
import { ConfirmSending } from './confirm-sending.tsx';
import { Conflict } from './conflict.tsx';
import { Preview } from './preview.tsx';
import { Schedule, ScheduleNote } from './schedule.tsx';
import { SendTest } from './send-test.tsx';
import { SenderChoice } from './sender-choice.tsx';
import { SourceField } from './source-field.tsx';
import { type Draft, useDraft } from './use-draft.ts';
import './composer.css';

/** Where one campaign is written, checked and sent, in any order. */
export function Composer({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const site = useSite();
  const mayEdit = site.may('editor');
  const draft = useDraft(campaign, mayEdit);
  const [pane, setPane] = useState<'write' | 'preview'>('write');
  const [dialog, setDialog] = useState<Dialog>();
  useRail();
  useTitle(draft.content.name);
  useUnsavedWarning(draft);
  const open = async (next: Dialog) => {
    if (await draft.save()) setDialog(next);
  };
  const close = () => setDialog(undefined);
  const shortcuts = useMemo(
    () =>
      mayEdit
        ? [{ keys: 'mod+s', label: words.composer.saveNow, run: () => void draft.save(), inFields: true }]
        : [],
    [mayEdit, words, draft.save],
  );
  useShortcuts(shortcuts);
  return (
    <main className="composer" id="content" tabIndex={-1}>
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
          </div>
        </div>
        {site.may('sender') && <Actions campaign={campaign} open={(next) => void open(next)} />}
      </header>
      <Notes campaign={campaign} draft={draft} mayEdit={mayEdit} />
      <div className="composer-panes" data-pane={pane}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div className="segments composer-switch" role="group" aria-label={words.composer.part}>
          {(['write', 'preview'] as const).map((one) => (
            <button key={one} type="button" aria-pressed={one === pane} onClick={() => setPane(one)}>
              {words.composer.parts[one]}
            </button>
          ))}
        </div>
        <Source draft={draft} isReadOnly={!mayEdit} />
        <Preview campaign={campaign} draft={draft} />
        <aside className="composer-rail" aria-label={words.composer.checklist}>
          <Checklist campaign={campaign} />
          <SenderChoice draft={draft} isReadOnly={!mayEdit} />
          <Audience campaign={campaign} isReadOnly={!mayEdit} />
        </aside>
      </div>
      <ConfirmSending
        campaign={campaign}
        content={draft.content}
        isOpen={dialog === 'confirm'}
        close={close}
      />
      <SendTest campaign={campaign} isOpen={dialog === 'test'} close={close} />
      <Schedule campaign={campaign} isOpen={dialog === 'schedule'} close={close} />
    </main>
  );
}

/** A dialog of the composer. */
type Dialog = 'test' | 'schedule' | 'confirm';

/** Test, schedule and send. A campaign that waits for a date cannot be sent before its schedule is removed. */
function Actions({ campaign, open }: ActionsProps) {
  const { words } = useWords();
  const { composer } = words;
  const waits = isScheduled(campaign);
  return (
    <div className="composer-acts">
      <Button leftSection={<IconMailCheck size={16} aria-hidden />} onClick={() => open('test')}>
        {composer.test.button}
      </Button>
      <Button
        variant={waits ? 'filled' : 'default'}
        leftSection={<IconClock size={16} aria-hidden />}
        onClick={() => open('schedule')}
      >
        {waits ? composer.schedule.change : composer.schedule.button}
      </Button>
      {!waits && (
        <Button
          variant="filled"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => open('confirm')}
        >
          {composer.review}
        </Button>
      )}
    </div>
  );
}
interface ActionsProps {
  readonly campaign: Campaign;
  readonly open: (dialog: Dialog) => void;
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
  const refusal = useRefusal();
  const { composer } = words;
  return (
    <div className="composer-notes">
      <ScheduleNote campaign={campaign} />
      {!mayEdit && <p className="note">{composer.readOnly}</p>}
      {draft.conflict && <Conflict draft={draft} theirs={draft.conflict} />}
      {draft.isRestored && !draft.conflict && (
        <div className="note ink">
          <span className="grow">{composer.restored}</span>
          <button type="button" className="link" onClick={draft.discard}>
            {composer.discard}
          </button>
        </div>
      )}
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

/** Subject, preheader and HTML. */
function Source({ draft, isReadOnly }: { readonly draft: Draft; readonly isReadOnly: boolean }) {
  const { words, format } = useWords();
  const { composer } = words;
  const { content, change } = draft;
  return (
    <section className="composer-source" aria-label={composer.parts.write}>
      <TextInput
        label={composer.subject}
        description={content.subject ? composer.characters(format.count(content.subject.length)) : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        readOnly={isReadOnly}
        value={content.subject}
        onChange={(event) => change({ subject: event.currentTarget.value })}
      />
      <TextInput
        label={composer.preheader}
        description={composer.preheaderHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        readOnly={isReadOnly}
        value={content.preheader}
        onChange={(event) => change({ preheader: event.currentTarget.value })}
      />
      <SourceField html={content.html} isReadOnly={isReadOnly} onChange={(html) => change({ html })} />
    </section>
  );
}
