import { NativeSelect, NumberInput } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import type { Content } from './content.ts';
import type { Draft } from './use-draft.ts';

const fewestVariants = 2;
const mostVariants = 20;

/** Whether the first segments are variants of a test, and what they differ in. */
export function AbTest({ draft, isReadOnly }: { readonly draft: Draft; readonly isReadOnly: boolean }) {
  const { words, format } = useWords();
  const texts = words.campaignParts.audience;
  const { mode, abTestType, nbTests } = draft.content;
  // Templates and campaigns that others send are no tests.
  if (mode !== 'Simple' && mode !== 'TestAb' && mode !== 'Unknown') return null;
  const isTest = mode === 'TestAb';
  const choose = (type: Content['abTestType']) =>
    draft.change(
      type === ''
        ? { mode: 'Simple', abTestType: '', nbTests: 0 }
        : { mode: 'TestAb', abTestType: type, nbTests: Math.max(nbTests, fewestVariants) },
    );
  return (
    <div className="card segment-card">
      <h3>{texts.test}</h3>
      <div className="segment-fields">
        <NativeSelect
          label={texts.testOf}
          data-place="ab-test"
          disabled={isReadOnly}
          value={isTest ? abTestType : ''}
          onChange={(event) => choose(event.currentTarget.value as Content['abTestType'])}
          data={Object.entries(texts.tests).map(([value, label]) => ({ value, label }))}
        />
        {isTest && (
          <NumberInput
            hideControls
            label={texts.variants}
            min={fewestVariants}
            max={mostVariants}
            clampBehavior="strict"
            allowDecimal={false}
            readOnly={isReadOnly}
            value={nbTests}
            onChange={(value) => draft.change({ nbTests: Math.max(Number(value), fewestVariants) })}
          />
        )}
      </div>
      {isTest && (
        <p className="small text-2">{texts.testText(format.count(nbTests), format.count(nbTests + 1))}</p>
      )}
    </div>
  );
}
