import { MultiSelect, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSearchable } from '../parts/searchable.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { allTargetsQuery } from './all-targets.ts';
import { numberFrom, Pick, SharedPart, Typed } from './sentence.tsx';

type Parameters = components['schemas']['TargetParameters'];

interface LimitsProps {
  readonly idTarget: number;
  readonly parameters: Parameters;
  readonly mayEdit: boolean;
  /** Why they could not be saved. */
  readonly error: unknown;
  readonly set: (next: Partial<Parameters>) => void;
}

/** What follows the filters: which targets are left out, how many people are taken, and the use for tests. */
export function Limits({ idTarget, parameters, mayEdit, error, set }: LimitsProps) {
  const { words } = useWords();
  const texts = words.targets;
  const refusal = useRefusal();
  return (
    <section className="card">
      <h2 className="card-head">{texts.thereafter}</h2>
      <div className="card-body stack" style={{ gap: 14 }}>
        <Excluded idTarget={idTarget} ids={parameters.excludedTargets} mayEdit={mayEdit} set={set} />
        <SharedPart mayEdit={mayEdit}>
          <Taken parameters={parameters} set={set} />
        </SharedPart>
        {error ? (
          <p className="small red name" role="alert">
            {refusal(error)}
          </p>
        ) : null}
      </div>
      <div className="switch-line">
        <div>
          <p id="is-test">{texts.isTest}</p>
          <p className="small text-3">{texts.isTestHint}</p>
        </div>
        <Switch
          aria-labelledby="is-test"
          checked={parameters.isTestTarget}
          disabled={!mayEdit}
          onChange={(event) => set({ isTestTarget: event.currentTarget.checked })}
        />
      </div>
    </section>
  );
}

interface ExcludedProps {
  readonly idTarget: number;
  readonly ids: readonly number[];
  readonly mayEdit: boolean;
  readonly set: (next: Partial<Parameters>) => void;
}

function Excluded({ idTarget, ids, mayEdit, set }: ExcludedProps) {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const searchable = useSearchable();
  const all = useQuery(allTargetsQuery(site.name));
  const listed = (all.data?.items ?? [])
    .filter((target) => target.idTarget !== idTarget)
    .map((target) => ({ value: String(target.idTarget), label: target.name }));
  // An archived target is not listed, and may still be left out.
  const unlisted = ids.map(String).filter((id) => !listed.some(({ value }) => value === id));
  return (
    <MultiSelect
      label={texts.excludedLabel}
      placeholder={ids.length === 0 ? texts.noExcluded : undefined}
      {...searchable}
      maxValues={50}
      disabled={!mayEdit}
      data={[...listed, ...unlisted.map((value) => ({ value, label: `#${value}` }))]}
      value={ids.map(String)}
      onChange={(chosen) => set({ excludedTargets: chosen.map(Number) })}
    />
  );
}

interface TakenProps {
  readonly parameters: Parameters;
  readonly set: (next: Partial<Parameters>) => void;
}

/** How many of the people are taken, and which. */
function Taken({ parameters: { maxSelect, pctSelect, isRandomMode }, set }: TakenProps) {
  const texts = useWords().words.targets;
  const how = maxSelect ? 'most' : pctSelect < 100 ? 'share' : 'all';
  return (
    <div className="sentence">
      {texts.take}
      <Pick
        member="pctSelect"
        label={texts.howMany}
        value={how}
        choices={texts.takes}
        pick={(next) =>
          set({ maxSelect: next === 'most' ? 1000 : null, pctSelect: next === 'share' ? 50 : 100 })
        }
      />
      {how === 'share' && (
        <>
          <Typed
            member="pctSelect"
            type="number"
            label={texts.share}
            value={String(pctSelect)}
            // 100 is all of them: the sentence would lose its number while it is typed.
            set={(typed) => set({ pctSelect: Math.min(99, Math.round(numberFrom(typed) ?? 0)) })}
          />
          {texts.afterShare}
        </>
      )}
      {how === 'most' && (
        <>
          <Typed
            member="maxSelect"
            type="number"
            label={texts.most}
            value={String(maxSelect)}
            set={(typed) => set({ maxSelect: Math.max(1, Math.round(numberFrom(typed) ?? 1)) })}
          />
          {texts.afterMost}
        </>
      )}
      {how !== 'all' && (
        <Pick
          member="isRandomMode"
          label={texts.order}
          value={isRandomMode ? 'random' : 'first'}
          choices={texts.orders}
          pick={(next) => set({ isRandomMode: next === 'random' })}
        />
      )}
    </div>
  );
}
