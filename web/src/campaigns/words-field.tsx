import { ActionIcon, Button, Input, Textarea, TextInput } from '@mantine/core';
import { IconBold, IconItalic, IconLink } from '@tabler/icons-react';
import { type FormEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { useBlocksWords } from './blocks-words.ts';
import { escapeValue, isPlainWords } from './mjml-text.ts';

interface WordsFieldProps {
  readonly html: string;
  /** What is wrong with the words. */
  readonly error: string | undefined;
  readonly onChange: (html: string) => void;
}

/** Words with bold and italic parts and links. HTML of another kind is changed as source. */
export function WordsField(props: WordsFieldProps) {
  const texts = useBlocksWords();
  const { html, error, onChange } = props;
  if (isPlainWords(html)) return <RichWords {...props} />;
  return (
    <Textarea
      label={texts.htmlWords}
      autosize
      minRows={3}
      error={error}
      value={html}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function RichWords({ html, error, onChange }: WordsFieldProps) {
  const texts = useBlocksWords();
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  const shown = useRef<string>(undefined);
  const [range, setRange] = useState<Range>();
  useLayoutEffect(() => {
    if (!field.current || shown.current === html) return;
    shown.current = html;
    field.current.innerHTML = html;
  }, [html]);
  const emit = () => {
    const written = field.current!.innerHTML;
    if (written === shown.current || !isPlainWords(written)) return;
    shown.current = written;
    onChange(written);
  };
  /** Commands of the browser act on the selection, and can be undone. */
  const command = (name: string, value?: string) => {
    document.execCommand('styleWithCSS', false, 'false');
    document.execCommand(name, false, value);
    emit();
  };
  const actions = [
    { label: texts.bold, Icon: IconBold, run: () => command('bold') },
    { label: texts.italic, Icon: IconItalic, run: () => command('italic') },
    { label: texts.link, Icon: IconLink, run: () => setRange(rangeIn(field.current)) },
  ];
  return (
    <div className="words">
      <div className="row">
        <span className="label grow" id={id}>
          {texts.words}
        </span>
        {actions.map(({ label, Icon, run }) => (
          <ActionIcon
            key={label}
            aria-label={label}
            title={label}
            // The selection stays where it is.
            onMouseDown={(event) => event.preventDefault()}
            onClick={run}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a text area has no bold words */}
      <div
        ref={field}
        className="words-field"
        role="textbox"
        tabIndex={0}
        aria-multiline
        aria-labelledby={id}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${id}-error`}
        contentEditable
        suppressContentEditableWarning
        onInput={emit}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey)
            return;
          event.preventDefault();
          command('insertLineBreak');
        }}
        onPaste={(event) => {
          event.preventDefault();
          const pasted = escapeValue(event.clipboardData.getData('text/plain'));
          command('insertHTML', pasted.replaceAll(/\r\n?|\n/g, '<br>'));
        }}
        onDrop={(event) => event.preventDefault()}
      />
      {error && <Input.Error id={`${id}-error`}>{error}</Input.Error>}
      {range && (
        <LinkForm
          range={range}
          close={() => setRange(undefined)}
          set={(address) => {
            field.current!.focus();
            const selection = getSelection()!;
            selection.removeAllRanges();
            selection.addRange(range);
            if (address === '') command('unlink');
            else command('createLink', address);
            setRange(undefined);
          }}
        />
      )}
    </div>
  );
}

/** The selection in a field; a caret in a link selects the link. */
function rangeIn(field: HTMLElement | null): Range | undefined {
  const selection = getSelection();
  if (!field || !selection || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0).cloneRange();
  if (!field.contains(range.commonAncestorContainer)) return undefined;
  const link = linkAt(range);
  if (link && range.collapsed) range.selectNodeContents(link);
  return range;
}

const linkAt = ({ startContainer: at }: Range): HTMLAnchorElement | null =>
  (at instanceof Element ? at : at.parentElement)?.closest('a') ?? null;

interface LinkFormProps {
  readonly range: Range;
  readonly set: (address: string) => void;
  readonly close: () => void;
}

function LinkForm({ range, set, close }: LinkFormProps) {
  const texts = useBlocksWords();
  const [address, setAddress] = useState(() => linkAt(range)?.getAttribute('href') ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set(address.trim());
  };
  return (
    <form
      className="row words-link"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <TextInput
        className="grow"
        aria-label={texts.link}
        description={texts.linkHint}
        value={address}
        data-autofocus
        autoFocus
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <Button type="submit">{texts.setLink}</Button>
    </form>
  );
}
