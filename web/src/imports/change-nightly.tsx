import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Conflict, shownValue } from '../parts/conflict.tsx';
import { useRuleWords } from '../parts/daily-fields.tsx';
import { faultOf, ruleOf, typedOf } from '../parts/daily-rule.ts';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { NightlyFields } from './nightly-form.tsx';
import { type NightlySchedule, storeNightly } from './nightly-schedule.ts';

interface ChangeNightlyProps {
  readonly idImport: number;
  readonly stored: NightlySchedule;
  readonly close: () => void;
}

/** Changes when a nightly import runs and which file it takes. */
export function ChangeNightly({ idImport, stored, close }: ChangeNightlyProps) {
  const texts = useWords().words.imports.nightly;
  const site = useSite();
  const queries = useQueryClient();
  const draft = useFormDraft('import-schedule', idImport);
  /** The stored schedule that the user changes. */
  const base = useRef(stored);
  const [pattern, setPattern] = draft.field('pattern', base.current.pattern);
  const [rule, setRule] = draft.field('rule', typedOf(base.current.rule));
  const [conflict, setConflict] = useState<NightlySchedule>();
  const save = async () => {
    if (pattern.trim() === '') return { pattern: texts.noPattern };
    // The field says it.
    if (faultOf(rule, base.current.rule)) return '';
    const mine = { pattern: pattern.trim(), rule: ruleOf(rule, base.current.rule) };
    const theirs = await storeNightly(site.name, idImport, base.current, mine);
    setConflict(theirs);
    // Both versions are shown above.
    if (theirs) return '';
    await queries.invalidateQueries({ queryKey: ['imports', site.name] });
    toast({ text: texts.changed });
    return undefined;
  };
  return (
    <FormDrawer title={texts.changeTitle} close={close} save={save} draft={draft}>
      {conflict && (
        <Differences
          theirs={conflict}
          yours={{ pattern, rule: ruleOf(rule, base.current.rule) }}
          keepYours={(form) => {
            base.current = conflict;
            setConflict(undefined);
            form?.requestSubmit();
          }}
          takeTheirs={() => {
            base.current = conflict;
            setPattern(conflict.pattern);
            setRule(typedOf(conflict.rule));
            setConflict(undefined);
          }}
        />
      )}
      <NightlyFields
        pattern={pattern}
        setPattern={setPattern}
        rule={rule}
        setRule={(part) => setRule((before) => ({ ...before, ...part }))}
        stored={base.current}
      />
      <p className="small text-3">{texts.changeText}</p>
    </FormDrawer>
  );
}

interface DifferencesProps {
  readonly theirs: NightlySchedule;
  readonly yours: NightlySchedule;
  readonly keepYours: (form: HTMLFormElement | null) => void;
  readonly takeTheirs: () => void;
}

/** Another person's schedule beside the user's. */
function Differences({ theirs, yours, keepYours, takeTheirs }: DifferencesProps) {
  const { words, format } = useWords();
  const texts = words.imports.nightly;
  const inWords = useRuleWords();
  const shown = ({ rule }: NightlySchedule) => `${format.day(rule.startDate)}: ${inWords(rule)}`;
  return (
    <Conflict
      fields={[
        {
          key: 'pattern',
          name: texts.pattern,
          theirs: shownValue(theirs.pattern),
          yours: shownValue(yours.pattern),
        },
        { key: 'rule', name: texts.when, theirs: shown(theirs), yours: shown(yours) },
      ].filter((field) => field.theirs !== field.yours)}
      keepYours={({ currentTarget }) => keepYours(currentTarget.form)}
      takeTheirs={takeTheirs}
    />
  );
}
