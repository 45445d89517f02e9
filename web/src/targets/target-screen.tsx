import { Button, Switch, TextInput } from '@mantine/core';
import { IconArchive, IconCopy, IconLock, IconLockOpen, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { type Field, fieldIds, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { nextKey, operatorsOf } from './condition.ts';
import { ConditionRow, ConditionText } from './condition-rows.tsx';
import { OtherFilters } from './other-filters.tsx';
import { type Target, useTargetActions } from './target.ts';
import { TargetPeople } from './target-people.tsx';
import './targets.css';
import { type SaveState, type TargetDraft, useTargetDraft } from './use-target-draft.ts';

const route = getRouteApi('/$site/targets/$idTarget');
type FieldFilter = components['schemas']['FieldFilter'];

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
    queryFn: async () => {
      const params = { path: { idsite: site.name, idTarget: idTarget! } };
      const found = await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}', { params }));
      const filter = found.hasFieldFilter
        ? await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/field', { params }))
        : null;
      return { target: found, filter };
    },
    // The builder holds what is edited; reading it again would not change what it shows.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (idTarget === undefined || isNotFound(target.error))
    return <NotFound text={words.targets.notFound(given, site.name)} />;
  const error = target.error ?? fields.error;
  if (error)
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
  return <Builder key={idTarget} {...target.data} fields={fields.data} />;
}

interface BuilderProps {
  readonly target: Target;
  readonly filter: FieldFilter | null;
  readonly fields: readonly Field[];
}

function Builder({ target, filter, fields }: BuilderProps) {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const mayEdit = site.may('editor') && !target.isArchived;
  const { draft, state, change, save } = useTargetDraft(target, filter);
  const { archive, duplicate } = useTargetActions();
  const isSafe = draft.subscribedOnly && draft.isEnabled;
  const Glyph = isSafe ? IconLock : IconLockOpen;
  return (
    <Page
      title={draft.name || target.parameters.name}
      crumb={
        <Link to="/$site/targets" params={{ site: site.name }}>
          {texts.title}
        </Link>
      }
      sub={
        <>
          <span className={isSafe ? 'pill green' : 'pill amber'}>
            <Glyph size={14} aria-hidden />
            {isSafe ? texts.safe : texts.unsafe}
          </span>
          {mayEdit && <Saved state={state} />}
        </>
      }
      actions={
        site.may('editor') && (
          <>
            <Button
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => void duplicate(target.id, draft.name)}
            >
              {texts.duplicate}
            </Button>
            <Archive target={target} archive={archive} name={draft.name} />
          </>
        )
      }
    >
      <NotSaved state={state} save={save} />
      {target.isArchived && <p className="note">{texts.isArchived}</p>}
      <div className="columns">
        <div className="stack tight">
          {mayEdit && (
            <TextInput
              label={texts.rename}
              value={draft.name}
              maxLength={255}
              error={draft.name.trim() === '' ? texts.noName : undefined}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          )}
          <p className="text-2">{texts.lead}</p>
          <Conditions draft={draft} fields={fields} change={change} mayEdit={mayEdit} />
          <OtherFilters target={target} />
          <section className="card">
            <h2 className="card-head">{texts.thereafter}</h2>
            <Limits target={target} />
            <div className="switch-line">
              <div>
                <p id="is-test">{texts.isTest}</p>
                <p className="small text-3">{texts.isTestHint}</p>
              </div>
              <Switch
                aria-labelledby="is-test"
                checked={draft.isTestTarget}
                disabled={!mayEdit}
                onChange={(event) => change({ isTestTarget: event.currentTarget.checked })}
              />
            </div>
          </section>
          {mayEdit && <p className="small text-3">{texts.used}</p>}
        </div>
        <TargetPeople idTarget={target.id} state={state} isTestTarget={draft.isTestTarget} />
      </div>
    </Page>
  );
}

function Archive({ target, archive, name }: ArchiveProps) {
  const { words } = useWords();
  return (
    <Button
      leftSection={<IconArchive size={16} aria-hidden />}
      onClick={() => void archive(target.id, name, !target.isArchived)}
    >
      {target.isArchived ? words.targets.restore : words.targets.archive}
    </Button>
  );
}
interface ArchiveProps {
  readonly target: Target;
  readonly name: string;
  readonly archive: ReturnType<typeof useTargetActions>['archive'];
}

function Saved({ state }: { readonly state: SaveState }) {
  const { words, format } = useWords();
  const texts = words.targets;
  if (state.kind === 'saved')
    return state.at > 0 && <span>{texts.saved(format.time(new Date(state.at)))}</span>;
  return <span>{state.kind === 'saving' ? texts.saving : texts.unsaved}</span>;
}

function NotSaved({ state, save }: { readonly state: SaveState; readonly save: () => void }) {
  const { words } = useWords();
  const refusal = useRefusal();
  if (state.kind !== 'failed') return null;
  return (
    <div className="note red" role="alert">
      <p className="grow">
        {words.targets.unsaved}. {refusal(state.error)}
      </p>
      <Button size="xs" onClick={save}>
        {words.errors.tryAgain}
      </Button>
    </div>
  );
}

interface ConditionsProps {
  readonly draft: TargetDraft;
  readonly fields: readonly Field[];
  readonly change: (next: Partial<TargetDraft>) => void;
  readonly mayEdit: boolean;
}

function Conditions({ draft, fields, change, mayEdit }: ConditionsProps) {
  const { words } = useWords();
  const texts = words.targets;
  const { conditions, isEnabled, subscribedOnly } = draft;
  const add = () => {
    const field = fields.find(({ id }) => id === fieldIds.email)!;
    const operator = operatorsOf(field)[0]!;
    change({ conditions: [...conditions, { key: nextKey(), idField: field.id, operator, value: '' }] });
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.fieldsTitle}</h2>
        <span className="small text-3">{texts.conditions(conditions.length)}</span>
        <span className="aside">
          <Switch
            aria-label={texts.isOn}
            title={texts.isOn}
            checked={isEnabled}
            disabled={!mayEdit}
            onChange={(event) => change({ isEnabled: event.currentTarget.checked })}
          />
        </span>
      </div>
      <div className="card-body stack tight">
        {!isEnabled && <p className="note">{texts.isOff}</p>}
        {conditions.length > 0 && (
          <ul className="conditions">
            {conditions.map((condition, at) =>
              mayEdit ? (
                <ConditionRow
                  key={condition.key}
                  condition={condition}
                  fields={fields}
                  change={(next) => change({ conditions: conditions.with(at, next) })}
                  remove={() => change({ conditions: conditions.toSpliced(at, 1) })}
                />
              ) : (
                <ConditionText key={condition.key} condition={condition} fields={fields} />
              ),
            )}
          </ul>
        )}
        {mayEdit && (
          <div>
            <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
              {texts.add}
            </Button>
          </div>
        )}
      </div>
      <div className="switch-line">
        <div>
          <p id="subscribed-only">{texts.subscribedOnly}</p>
          {!subscribedOnly && <p className="small amber">{texts.subscribedOnlyHint}</p>}
        </div>
        <Switch
          aria-labelledby="subscribed-only"
          checked={subscribedOnly}
          disabled={!mayEdit}
          onChange={(event) => change({ subscribedOnly: event.currentTarget.checked })}
        />
      </div>
    </section>
  );
}

/** Which targets are left out, and how many are taken: shown and kept as they are. */
function Limits({ target: { parameters } }: { readonly target: Target }) {
  const { words, format } = useWords();
  const texts = words.targets;
  const site = useSite();
  const { excludedTargets, pctSelect, maxSelect, isRandomMode } = parameters;
  const all = useQuery({
    queryKey: ['targets', site.name, 'list', 'all'],
    enabled: excludedTargets.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => dataOf(api.GET('/v1/{idsite}/targets/all', { params: { path: { idsite: site.name } } })),
  });
  const names = excludedTargets.map(
    (id) => all.data?.items.find(({ idTarget }) => idTarget === id)?.name ?? String(id),
  );
  const how = isRandomMode ? texts.atRandom : texts.firstOnes;
  return (
    <div className="card-body stack" style={{ gap: 6 }}>
      {names.length > 0 && <p>{texts.excluded(names.join(', '))}</p>}
      <p className="text-2">
        {maxSelect
          ? `${texts.takesMost(format.count(maxSelect))}, ${how}`
          : pctSelect < 100
            ? `${texts.takesShare(pctSelect)}, ${how}`
            : texts.takesAll}
      </p>
    </div>
  );
}
