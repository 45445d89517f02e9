import { ActionIcon, Autocomplete, Checkbox, NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight, IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MessageFrame } from '../parts/message-frame.tsx';
import { enterChooses } from '../parts/searchable.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Content } from './content.ts';
import { foundReadersQuery, type Readers } from './use-readers.ts';

const widths = { desktop: 600, phone: 390 } as const;
type Width = keyof typeof widths;
/** From this number of letters on, subscribers are searched. */
const fewestLetters = 2;

interface PreviewProps {
  readonly content: Content;
  readonly readers: Readers;
}

/** The message as a subscriber would get it, also while it is being written. */
export function Preview({ content, readers }: PreviewProps) {
  const { words } = useWords();
  const { composer } = words;
  const [width, setWidth] = useState<Width>('desktop');
  const [showsPictures, setShowsPictures] = useState(false);
  const [isDark, setDark] = useState(false);
  const { message, isRefused, isReaderMissing } = readers;
  const html = message ? (message.html ?? '') : content.html;
  const { preheader } = message ?? content;
  return (
    <section className="composer-preview" aria-label={composer.parts.preview}>
      <div className="preview-bar">
        <ReaderChoice readers={readers} />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div className="segments" role="group" aria-label={composer.width}>
          {(['desktop', 'phone'] as const).map((one) => {
            const Icon = one === 'desktop' ? IconDeviceDesktop : IconDeviceMobile;
            return (
              <button
                key={one}
                type="button"
                aria-pressed={one === width}
                aria-label={composer[one]}
                title={composer[one]}
                onClick={() => setWidth(one)}
              >
                <Icon size={16} aria-hidden />
              </button>
            );
          })}
        </div>
      </div>
      <p className="small text-2 preview-note" role="status">
        {message
          ? composer.previewAs(message.email)
          : isReaderMissing
            ? composer.previewNobody
            : isRefused
              ? composer.previewBlocked
              : composer.asWritten}
      </p>
      <div
        className="preview-message"
        style={{ maxWidth: widths[width] + 2 }}
        data-dark={isDark || undefined}
      >
        <div className="preview-head">
          <p className="strong cut">{(message?.subject ?? content.subject) || words.campaigns.noSubject}</p>
          {preheader && <p className="small text-2 cut">{preheader}</p>}
        </div>
        <MessageFrame
          title={composer.previewTitle}
          html={isDark ? darkStyle + html : html}
          showsPictures={showsPictures}
        />
      </div>
      {message?.warnings.map(() => (
        <p key="warning" className="note amber" style={{ marginTop: 8 }}>
          {composer.wouldNotGet(message.email)}
        </p>
      ))}
      <div className="row preview-options">
        <Checkbox
          checked={showsPictures}
          onChange={(event) => setShowsPictures(event.currentTarget.checked)}
          label={composer.showPictures}
          description={composer.showPicturesHint}
        />
        <Checkbox
          checked={isDark}
          onChange={(event) => setDark(event.currentTarget.checked)}
          label={composer.asDark}
        />
      </div>
    </section>
  );
}

/** The frame is inverted as a whole; pictures are inverted back. */
const darkStyle = '<style>img, video { filter: invert(1) hue-rotate(180deg) }</style>';

/** Whose message it is: the one before, the next, or one that is found by a part of the address or a field. */
function ReaderChoice({ readers }: { readonly readers: Readers }) {
  const { words } = useWords();
  const { composer } = words;
  const site = useSite();
  const { segments, position, setPosition, step, choose, message } = readers;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: found = [], isFetching } = useQuery({
    ...foundReadersQuery(site.name, search),
    enabled: search.length >= fewestLetters,
  });
  const isBusy = typed.trim() !== search || isFetching;
  const isMissing = search.length >= fewestLetters && !isBusy && found.length === 0;
  return (
    <div className="row preview-reader">
      <ActionIcon
        aria-label={composer.readerBefore}
        title={`${composer.readerBefore} (Alt ←)`}
        onClick={() => step(-1)}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <Autocomplete
        className="preview-search"
        {...enterChooses}
        aria-busy={isBusy}
        error={isMissing && words.shell.noMatch}
        aria-label={composer.reader}
        placeholder={message?.email ?? composer.reader}
        leftSection={<span className="small text-3">{composer.as}</span>}
        leftSectionWidth={`${composer.as.length + 2}ch`}
        value={typed}
        onChange={setTyped}
        data={[...new Set(found)]}
        filter={({ options }) => options}
        onOptionSubmit={(email) => {
          choose(email);
          // The field writes the address after this; the placeholder has it from now on.
          queueMicrotask(() => setTyped(''));
        }}
      />
      <ActionIcon
        aria-label={composer.readerAfter}
        title={`${composer.readerAfter} (Alt →)`}
        onClick={() => step(1)}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
      {segments.length > 1 && (
        <NativeSelect
          className="preview-segment"
          aria-label={composer.previewSegment}
          value={String(position)}
          onChange={(event) => setPosition(Number(event.currentTarget.value))}
          data={segments.map((one) => ({ value: String(one.position), label: one.parameters.name }))}
        />
      )}
    </div>
  );
}
