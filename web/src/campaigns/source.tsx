import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { IconAlignLeft, IconCode, IconLayoutList } from '@tabler/icons-react';
import { type ReactNode, type Ref, useMemo } from 'react';
import type { components } from '../api/schema.d.ts';
import { Opened } from '../parts/opened.tsx';
import { useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { Blocks } from './blocks.tsx';
import type { ReadCampaign } from './campaign-query.ts';
import { useFindingWords } from './finding-words.ts';
import type { SourceEditorProps, SourcePlace } from './source-editor.tsx';
import { SourceField } from './source-field.tsx';
import { TagCompletion } from './tag-completion.tsx';
import type { Draft } from './use-draft.ts';
import { useKnownTags } from './use-known-tags.ts';

interface SourceProps {
  readonly part: SourcePart;
  readonly setPart: (part: SourcePart) => void;
  readonly campaign: ReadCampaign;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly checked: components['schemas']['Checklist'] | undefined;
  /** Whose values tags are explained with. */
  readonly idReader: number | undefined;
  readonly keys: SourceEditorProps['keys'];
  readonly ref: Ref<SourcePlace>;
  /** Shown between the preheader and the source. */
  readonly children: ReactNode;
}

const icons = { html: IconCode, blocks: IconLayoutList, text: IconAlignLeft } as const;
/** A way to write the message. */
export type SourcePart = keyof typeof icons;

/** The ways to write the message: blocks are for those who may change it. */
const sourceParts = (isReadOnly: boolean): readonly SourcePart[] =>
  isReadOnly ? ['html', 'text'] : ['html', 'blocks', 'text'];

/** Subject, preheader, HTML or blocks, and plain text. */
export function Source(props: SourceProps) {
  const { part, setPart, campaign, draft, isReadOnly, checked, idReader, keys, ref, children } = props;
  const { words, format } = useWords();
  const { composer } = words;
  const { content, change } = draft;
  const wordsOf = useFindingWords(useFields().data ?? []);
  const tags = useKnownTags(idReader);
  const findings = checked?.findings;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words follow from the findings and the language
  const faults = useMemo(
    () =>
      (findings ?? []).flatMap((finding) => {
        const { part: source, line, column, about, isProblem } = finding;
        if (source !== 'htmlContent' || line === null || column === null || !isProblem) return [];
        return [{ line, column, tag: about, message: wordsOf(finding).message }];
      }),
    [findings, words],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words follow from the findings and the language
  const unknownTags = useMemo(
    () =>
      new Map(
        (findings ?? []).flatMap((finding) => {
          const { part: source, code, about } = finding;
          if (source !== 'htmlContent' || !code.startsWith('unknown_') || about === null) return [];
          return [[about, wordsOf(finding).message] as const];
        }),
      ),
    [findings, words],
  );
  const errorOf = (source: string) => {
    const found = findings?.find((one) => one.part === source && one.isProblem);
    return found && wordsOf(found).message;
  };
  return (
    <section className="composer-source" aria-label={composer.parts.write}>
      <TagCompletion tags={tags}>
        <TextInput
          label={composer.subject}
          data-place="subject"
          description={
            content.subject ? composer.characters(format.count(content.subject.length)) : undefined
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={errorOf('subject')}
          readOnly={isReadOnly}
          maxLength={500}
          value={content.subject}
          onChange={(event) => change({ subject: event.currentTarget.value })}
        />
      </TagCompletion>
      <TagCompletion tags={tags}>
        <TextInput
          label={composer.preheader}
          data-place="preheader"
          description={composer.preheaderHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={errorOf('preheader')}
          readOnly={isReadOnly}
          maxLength={500}
          value={content.preheader}
          onChange={(event) => change({ preheader: event.currentTarget.value })}
        />
      </TagCompletion>
      {children}
      <div className="source">
        <div className="source-head">
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
          <div className="segments" role="group" aria-label={composer.format}>
            {sourceParts(isReadOnly).map((one) => {
              const Icon = icons[one];
              return (
                <button key={one} type="button" aria-pressed={one === part} onClick={() => setPart(one)}>
                  <Icon size={16} aria-hidden />
                  {composer[one]}
                </button>
              );
            })}
          </div>
          {part === 'html' && <span className="label text-3">{composer.byteExact}</span>}
        </div>
        {part === 'html' && content.mjml === '' && campaign.mjml.mjml !== '' && (
          <p className="note amber">{composer.blocksStale}</p>
        )}
        {part === 'blocks' && (
          <Opened>
            <Blocks campaign={campaign} draft={draft} tags={tags} unknownTags={unknownTags} />
          </Opened>
        )}
        {part === 'html' && (
          <SourceField
            ref={ref}
            text={content.html}
            isReadOnly={isReadOnly}
            onChange={(html) => change({ html })}
            faults={faults}
            tags={tags}
            keys={keys}
          />
        )}
        {part === 'text' && (
          <div className="source-text">
            <Checkbox
              data-place={content.hasText ? undefined : 'text'}
              disabled={isReadOnly}
              checked={content.hasText}
              onChange={(event) => change({ hasText: event.currentTarget.checked })}
              label={composer.ownText}
              description={composer.textByItself}
            />
            {content.hasText && (
              <Textarea
                data-place="text"
                aria-label={composer.text}
                autosize
                minRows={14}
                maxRows={30}
                readOnly={isReadOnly}
                error={errorOf('textContent')}
                value={content.text}
                onChange={(event) => change({ text: event.currentTarget.value })}
              />
            )}
          </div>
        )}
      </div>
    </section>
  );
}
