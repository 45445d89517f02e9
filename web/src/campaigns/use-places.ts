import { useEffect, useRef, useState } from 'react';
import type { Content } from './content.ts';
import type { Finding } from './finding-words.ts';
import type { SourcePart } from './source.tsx';
import type { SourcePlace } from './source-editor.tsx';

/** The parts of the composer, in their order. */
export const parts = ['content', 'options', 'audience', 'links', 'schedule'] as const;
export type Part = (typeof parts)[number];

/** Where a finding is put right. */
interface Place {
  readonly part: Part;
  /** The way to write the message that shows it. Default: the present one. */
  readonly source?: SourcePart;
  /** The line and column of the HTML. */
  readonly at?: readonly [line: number, column: number];
  /** Which field of the part: one with the finding's text if there are several, otherwise the first. */
  readonly field?: string;
}

const marked = (name: string) => `[data-place="${name}"]`;
const configuration: Place = { part: 'options', field: marked('configuration') };
/** The end of a text, whose line and column are not known here. */
const end = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;

/** The places of findings that no source holds, by their codes. */
const places: Readonly<Record<string, Place>> = {
  no_configuration: configuration,
  no_dkim_key: configuration,
  no_rsa_key: configuration,
  unaligned_return_path: configuration,
  no_subject: { part: 'content', field: marked('subject') },
  no_text_part: { part: 'content', source: 'text', field: marked('text') },
  template: { part: 'options', field: marked('idTemplate') },
  mode: { part: 'options', field: marked('type') },
  untracked_link: { part: 'links', field: '.composer-part input' },
  no_segment: { part: 'audience', field: marked('new-segment') },
  all_excluded: { part: 'audience', field: marked('excluded') },
  no_advertisement: { part: 'audience', field: marked('advertisement') },
  ab_test_segments: { part: 'audience', field: marked('ab-test') },
  ab_test_beyond: { part: 'audience', field: marked('ab-test') },
  ab_test_share: { part: 'audience', field: marked('ab-test') },
  ab_test_alike: { part: 'audience', field: marked('ab-test') },
};

/** The place of a finding in a source, by the source. */
function placeInSource({ part, line, column, about }: Finding, content: Content): Place | undefined {
  const has = (...texts: string[]) => about === null || texts.some((text) => text.includes(about));
  switch (part) {
    case 'subject':
      // A segment may have a subject and names of its own.
      return has(content.subject)
        ? { part: 'content', field: marked('subject') }
        : { part: 'audience', field: marked('own-subject') };
    case 'alias':
      return has(content.senderAlias, content.responseAlias)
        ? { part: 'options', field: marked('alias') }
        : { part: 'audience', field: marked('own-alias') };
    case 'preheader':
      return { part: 'content', field: marked('preheader') };
    case 'textContent':
      return { part: 'content', source: 'text', field: marked('text') };
    case 'advertisement':
      return { part: 'audience', field: marked('advertisement') };
    case 'htmlContent':
    case 'block':
      return { part: 'content', source: 'html', at: [line ?? 1, column ?? 1] };
    default:
      return part === null ? undefined : configuration;
  }
}

function placeOf(finding: Finding, content: Content): Place {
  const { code, about } = finding;
  const inSource = placeInSource(finding, content);
  if (inSource) return inSource;
  if (/_targets?$/.test(code)) {
    const idTarget = Number.parseInt(about ?? '', 10);
    return { part: 'audience', field: `[data-target="${idTarget}"] ${marked('target')}` };
  }
  if (code === 'no_unsubscribe_link' && about === 'the text') return places.no_text_part!;
  const isOfBlocks = content.mjml !== '';
  if (code === 'no_html' || code === 'no_unsubscribe_link')
    return isOfBlocks
      ? { part: 'content', source: 'blocks', field: '.blocks-panel button' }
      : { part: 'content', source: 'html', at: end };
  return places[code] ?? { part: 'content', field: marked('subject') };
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement;

/** Gives a field the focus, and in a text the caret at the finding. Returns false until the field exists. */
function focusField(selector: string, { about, line, column }: Finding): boolean {
  const found = [...document.querySelectorAll<Field>(`.composer-panes :is(${selector})`)];
  const field = found.find((one) => about !== null && textOf(one).includes(about)) ?? found[0];
  if (!field) return false;
  const closed = field.closest('details');
  if (closed) closed.open = true;
  field.focus();
  if (field instanceof HTMLTextAreaElement && line !== null) {
    const before = field.value.split('\n').slice(0, line - 1);
    const start = before.join('\n').length + (before.length > 0 ? 1 : 0) + (column ?? 1) - 1;
    field.setSelectionRange(start, start + (about?.length ?? 0));
  }
  return true;
}

const textOf = (field: Field) => `${field.value} ${field.ariaLabel ?? ''}`;

/** Editors are loaded when they are first shown: how often, and after how long, their fields are looked for. */
const [attempts, pauseMs] = [100, 50];

/** The part of the composer that is shown, how the message is written, and the way to where a finding is put right. */
export function usePlaces(content: Content, isReadOnly: boolean, showSource: () => void) {
  const [part, setPart] = useState<Part>('content');
  const [source, setSource] = useState<SourcePart>(content.mjml !== '' && !isReadOnly ? 'blocks' : 'html');
  const [wanted, setWanted] = useState<{ readonly finding: Finding; readonly place: Place }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part is chosen, whose name may be out of sight
  useEffect(() => {
    const name = document.querySelector('.composer-tabs [aria-selected="true"]');
    name?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [part]);
  const editor = useRef<SourcePlace>(null);
  useEffect(() => {
    if (!wanted) return;
    const { finding, place } = wanted;
    const lead = () => {
      if (!place.at) return focusField(place.field ?? 'input', finding);
      editor.current?.goTo(...place.at);
      return editor.current !== null;
    };
    if (lead()) return;
    let left = attempts;
    const timer = setInterval(() => {
      left -= 1;
      if (lead() || left === 0) clearInterval(timer);
    }, pauseMs);
    return () => clearInterval(timer);
  }, [wanted]);
  const goTo = (finding: Finding) => {
    const place = placeOf(finding, content);
    setPart(place.part);
    if (place.source) setSource(place.source === 'blocks' && isReadOnly ? 'html' : place.source);
    showSource();
    setWanted({ finding, place });
  };
  return { part, setPart, source, setSource, goTo, editor };
}
