import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { dayOf } from '../campaigns/calendar-days.ts';
import { DailyFields } from '../parts/daily-fields.tsx';
import { faultOf, ruleOf, type TypedRule } from '../parts/daily-rule.ts';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type ImportSchedule, recurringInfosOf } from './import-schedule.ts';
import type { ImportParameters } from './mapping.ts';

const firstTime = '02:30';

/** The name of a file with the date of each run in place of the date that it holds. Other braces mean nothing here. */
const patternOf = (filename: string): string =>
  filename
    .replace(/[{}]/g, '_')
    .replace(/(?<!\d)20\d\d([-_.]?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])(?!\d)/, '{yyyy}$1{MM}$1{dd}');

interface NightlyFormProps {
  readonly parameters: ImportParameters;
  readonly close: () => void;
}

/** Makes the prepared import one that runs every night, or every few hours, days or weeks. */
export function NightlyForm({ parameters, close }: NightlyFormProps) {
  const { words } = useWords();
  const texts = words.imports.nightly;
  const site = useSite();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const draft = useFormDraft('nightly-import', parameters.filename);
  const [pattern, setPattern] = draft.field('pattern', patternOf(parameters.filename));
  const [rule, setRule] = draft.field<TypedRule>('rule', {
    from: dayOf(Date.now()),
    until: '',
    time: firstTime,
    days: '1',
  });
  const [email, setEmail] = draft.field('email', '');
  const save = async () => {
    if (pattern.trim() === '') return { pattern: texts.noPattern };
    // The field says it.
    if (faultOf(rule)) return '';
    const { id } = await dataOf(
      api.POST('/v1/{idsite}/imports/scheduled', {
        params: { path: { idsite: site.name } },
        body: {
          parameters: { ...parameters, ...(email.trim() && { emailNotification: email.trim() }) },
          schedulingInfos: {
            isRecurring: true,
            recurringInfos: recurringInfosOf({ pattern: pattern.trim(), rule: ruleOf(rule) }),
          },
        },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['imports', site.name, 'list'] });
    await navigate({ to: '/$site/imports/$idImport', params: { site: site.name, idImport: String(id) } });
    return undefined;
  };
  return (
    <FormDrawer title={texts.title} close={close} save={save} saveLabel={texts.save} draft={draft}>
      <ScheduleFields
        pattern={pattern}
        setPattern={setPattern}
        rule={rule}
        setRule={(part) => setRule((before) => ({ ...before, ...part }))}
      />
      <TextInput
        label={texts.email}
        description={texts.emailText}
        maxLength={1000}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <p className="small text-3">{texts.text}</p>
    </FormDrawer>
  );
}

interface ScheduleFieldsProps {
  readonly pattern: string;
  readonly setPattern: (pattern: string) => void;
  readonly rule: TypedRule;
  readonly setRule: (part: Partial<TypedRule>) => void;
  readonly stored?: ImportSchedule;
}

/** The file of each run, and the runs. */
export function ScheduleFields({ pattern, setPattern, rule, setRule, stored }: ScheduleFieldsProps) {
  const texts = useWords().words.imports.nightly;
  return (
    <>
      <TextField
        property="pattern"
        data-autofocus
        label={texts.pattern}
        description={texts.patternText}
        maxLength={1024}
        value={pattern}
        onChange={(event) => setPattern(event.currentTarget.value)}
      />
      <DailyFields value={rule} change={setRule} stored={stored?.rule} hasUnits />
    </>
  );
}
