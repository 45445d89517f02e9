import { Switch } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../parts/dialogs.tsx';
import { useWords } from '../words/words.tsx';
import type { Rules } from './mapping.ts';
import type { DryRun } from './use-dry-run.ts';

interface RuleProps {
  readonly rules: Rules;
  readonly run: DryRun | undefined;
  readonly change: (rules: Rules) => void;
}

/** The rules of the import. To give up the second one, the user confirms the consent of the people concerned. */
export function RuleSwitches({ rules, run, change }: RuleProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const [isAsking, setAsking] = useState(false);
  const names: Readonly<Record<keyof Rules, string>> = {
    insertEnabled: texts.addNew,
    keepFld7: texts.keepStatus,
    safeMode: texts.safe,
    deleteFile: texts.deleteFile,
  };
  const set = (rule: keyof Rules, isOn: boolean) => {
    // Without a dry run nobody knows whom it concerns.
    const concerns = run === undefined || run.nbKeptUnsubscribed > 0;
    if (rule === 'keepFld7' && !isOn && concerns) setAsking(true);
    else change({ ...rules, [rule]: isOn });
  };
  return (
    <>
      {(Object.keys(names) as (keyof Rules)[]).map((rule) => (
        <Switch
          key={rule}
          label={names[rule]}
          checked={rules[rule]}
          onChange={(event) => set(rule, event.currentTarget.checked)}
        />
      ))}
      <p className="small text-3">
        {run && run.nbClearedValues > 0
          ? texts.cleared(format.count(run.nbClearedValues), format.isOne(run.nbClearedValues))
          : texts.clears}
      </p>
      {isAsking && (
        <Consent
          run={run}
          close={() => setAsking(false)}
          confirm={() => {
            change({ ...rules, keepFld7: false });
            setAsking(false);
          }}
        />
      )}
    </>
  );
}

/** Asks for the consent of the unsubscribed people whom the import would subscribe again. */
function Consent({ run, close, confirm }: ConsentProps) {
  const { words, format } = useWords();
  const texts = words.imports.consent;
  const people = run?.nbKeptUnsubscribed;
  const isCounted = people !== undefined;
  return (
    <Confirm
      title={isCounted ? texts.title(format.count(people), format.isOne(people)) : texts.titleUncounted}
      text={texts.text}
      keep={texts.keep}
      action={
        isCounted ? texts.subscribe(format.count(people), format.isOne(people)) : texts.subscribeUncounted
      }
      close={close}
      confirm={async () => confirm()}
    />
  );
}
interface ConsentProps {
  readonly run: DryRun | undefined;
  readonly close: () => void;
  readonly confirm: () => void;
}
