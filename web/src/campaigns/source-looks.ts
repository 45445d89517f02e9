import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket, tags.keyword], color: 'var(--f-text-2)' },
  { tag: [tags.attributeName, tags.propertyName, tags.className], color: 'var(--f-plum)' },
  { tag: [tags.attributeValue, tags.string, tags.number, tags.color], color: 'var(--f-green)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], color: 'var(--f-text-3)' },
]);

const focused = { backgroundColor: 'color-mix(in srgb, var(--f-ink) 24%, transparent) !important' };

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--f-text)', backgroundColor: 'transparent', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--f-mono)', lineHeight: '21px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--f-text)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--f-text)' },
  '.cm-selectionBackground': focused,
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': focused,
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--f-text-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--f-hover-row)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--f-track)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--f-amber-soft)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--f-sunken)',
    borderColor: 'var(--f-line)',
    color: 'var(--f-text-2)',
  },
  '.cm-tag': {
    backgroundColor: 'var(--f-ink-soft)',
    borderRadius: '4px',
    '&, & *': { color: 'var(--f-ink-on-soft)' },
  },
  '.cm-fault-line': { backgroundColor: 'var(--f-red-soft)' },
  '.cm-fault-line .cm-tag': { backgroundColor: 'transparent' },
  '.cm-lintRange-error, .cm-lintRange-error *': { color: 'var(--f-red)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--f-red)',
    textUnderlineOffset: '3px',
  },
  '.cm-fault': {
    padding: '0 6px 6px 24px',
    backgroundColor: 'var(--f-red-soft)',
    color: 'var(--f-red-on-soft)',
    fontFamily: 'var(--f-font)',
    fontSize: '13px',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-tooltip': {
    border: '0',
    borderRadius: '8px',
    backgroundColor: 'var(--f-raised)',
    color: 'var(--f-text)',
    boxShadow: 'var(--f-shadow-2)',
    fontFamily: 'var(--f-font)',
    fontSize: '13px',
    maxWidth: 'min(420px, calc(100vw - 32px))',
  },
  '.cm-tag-tip': { padding: '6px 10px', overflowWrap: 'anywhere' },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--f-red)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--f-mono)',
    maxHeight: '260px',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '12px',
    padding: '5px 8px',
    borderRadius: '4px',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--f-ink-soft)',
    color: 'var(--f-ink-on-soft)',
  },
  '.cm-completionLabel': { flex: '0 0 auto' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': {
    flex: '1',
    marginLeft: '0',
    fontStyle: 'normal',
    fontFamily: 'var(--f-font)',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.cm-panels': { backgroundColor: 'var(--f-sunken)', color: 'var(--f-text)', borderColor: 'var(--f-line)' },
  '.cm-panels input, .cm-panels button': {
    color: 'var(--f-text)',
    backgroundColor: 'var(--f-surface)',
    backgroundImage: 'none',
    border: '1px solid var(--f-control)',
    borderRadius: '4px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--f-amber-soft)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--f-amber)' },
});

/** The editor in the console's own colours, light and dark. */
export const editorLooks: Extension = [theme, syntaxHighlighting(style)];
