import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { shownValue } from '../parts/conflict.tsx';
import { useRuleWords } from '../parts/daily-fields.tsx';
import { type DailyRule, faultOf, ruleOf, type TypedRule, typedOf } from '../parts/daily-rule.ts';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useConflict } from '../parts/use-conflict.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { type ImportSchedule, storeSchedule } from './import-schedule.ts';
import { ScheduleFields } from './nightly-form.tsx';

interface ChangeScheduleProps {
  readonly idImport: number;
  readonly stored: ImportSchedule;
  readonly close: () => void;
}

/** Changes when a recurring import runs and which file it takes. */
export function ChangeSchedule({ idImport, stored, close }: ChangeScheduleProps) {
  const { words, format } = useWords();
  const texts = words.imports.nightly;
  const inWords = useRuleWords();
  const site = useSite();
  const queries = useQueryClient();
  const kept = useFormDraft('import-schedule', idImport);
  const [first] = useState(stored);
  const [pattern, setPattern] = kept.field('pattern', first.pattern);
  const [rule, setRule] = kept.field('rule', typedOf(first.rule));
  const begun = kept.began('rule') as TypedRule | undefined;
  const { base, meet, show, draft } = useConflict<ImportSchedule>(
    kept,
    // What was restored began from the schedule of then.
    {
      pattern: String(kept.began('pattern') ?? first.pattern),
      rule: begun ? ruleOf(begun, first.rule) : first.rule,
    },
    (theirs) => {
      setPattern(theirs.pattern);
      setRule(typedOf(theirs.rule));
    },
    { idImport },
  );
  const save = async () => {
    if (pattern.trim() === '') return { pattern: texts.noPattern };
    // The field says it.
    if (faultOf(rule, base.current.rule)) return '';
    const mine = { pattern: pattern.trim(), rule: ruleOf(rule, base.current.rule) };
    const theirs = await storeSchedule(site.name, idImport, base.current, mine);
    if (theirs === 'unknown') return texts.changedElsewhere;
    meet(theirs);
    // Both versions are shown above.
    if (theirs) return '';
    await queries.invalidateQueries({ queryKey: ['imports', site.name] });
    toast({ text: texts.changed });
    return undefined;
  };
  const yours = faultOf(rule, base.current.rule) ? undefined : ruleOf(rule, base.current.rule);
  const shown = (one: DailyRule | undefined) =>
    shownValue(one && words.shell.labelled(format.day(one.startDate), inWords(one)));
  return (
    <FormDrawer title={texts.changeTitle} close={close} save={save} draft={draft}>
      {show((theirs) =>
        [
          {
            key: 'pattern',
            name: texts.pattern,
            theirs: shownValue(theirs.pattern),
            yours: shownValue(pattern),
          },
          { key: 'rule', name: texts.when, theirs: shown(theirs.rule), yours: shown(yours) },
        ].filter((field) => field.theirs !== field.yours),
      )}
      <ScheduleFields
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
