import grapesjs, { type Component, type Editor, type EditorConfig } from 'grapesjs';
import mjmlPlugin from 'grapesjs-mjml';
import 'grapesjs/dist/css/grapes.min.css';
import type { BlockKind } from './blocks-kinds.ts';
import {
  escapeValue,
  loadingAttributes,
  type MjmlElement,
  type MjmlText,
  shieldAddress,
  unescapeValue,
  unshieldAddress,
} from './mjml-text.ts';

/** The package is CommonJS, so that the bundler may hand over its module instead of its default. */
const { default: plugin = mjmlPlugin } = mjmlPlugin as { default?: typeof mjmlPlugin };

type Convert = (mjml: string, options?: object) => { readonly html: string };

/** The editor of blocks: what it shows, and the message that it makes. */
export interface BlocksCanvas {
  readonly editor: Editor;
  /** Replaces the blocks; nothing of before can be undone. */
  load(text: MjmlText): void;
  read(): MjmlText;
  /** The HTML of MJML. */
  html(mjml: string): string;
  destroy(): void;
}

const options: EditorConfig = {
  storageManager: false,
  telemetry: false,
  noticeOnUnload: false,
  cssIcons: '',
  showDevices: false,
  panels: { defaults: [] },
  blockManager: { custom: true },
  layerManager: { custom: true },
  styleManager: { custom: true },
  traitManager: { custom: true },
  selectorManager: { custom: true },
  assetManager: { custom: true, upload: false },
};

/** An editor with the elements of MJML, and its converter. */
function openEditor(config: EditorConfig): { readonly editor: Editor; readonly convert: Convert } {
  let convert: Convert | undefined;
  const editor = grapesjs.init({
    ...options,
    ...config,
    plugins: [
      (made: Editor) =>
        plugin(made, {
          blocks: [],
          useCustomTheme: false,
          resetStyleManager: false,
          resetDevices: false,
          columnsPadding: '',
          customComponents: [
            // Without the fonts of other hosts that MJML adds by itself.
            (_: Editor, { opt }: { opt: { mjmlParser: Convert } }) => {
              const parser = opt.mjmlParser;
              convert = (mjml, more) => parser(mjml, { ...more, fonts: {} });
              opt.mjmlParser = convert;
            },
          ],
        } as object),
    ],
  });
  if (!convert) throw new Error('The editor has no converter of MJML');
  return { editor, convert };
}

/** The HTML that MJML makes. */
export function htmlOf(mjml: string): string {
  const { editor, convert } = openEditor({ headless: true });
  const { html } = convert(mjml);
  editor.destroy();
  return html;
}

/** A canvas without panels, network or storage: the console has its own panels. */
export function openCanvas(container: HTMLElement, title: string): BlocksCanvas {
  const { editor, convert } = openEditor({ container, height: '420px', width: 'auto' });
  editor.on('canvas:frame:load', ({ el }: { el: HTMLIFrameElement }) => {
    el.title = title;
  });
  // Words are changed in the panel beside the canvas, which keeps their tags as they are.
  editor.on('component:create', (component: Component) => component.set({ editable: false, toolbar: [] }));
  let rest: Omit<MjmlText, 'body'> = { attributes: {}, head: '' };
  return {
    editor,
    load({ body, ...others }) {
      rest = others;
      editor.setComponents(shownElement({ tagName: 'mjml', attributes: {}, components: [body] }) as never);
      editor.UndoManager.clear();
    },
    read: () => ({ ...rest, body: elementOf(bodyOf(editor)!) }),
    html: (mjml) => convert(mjml).html,
    destroy: () => editor.destroy(),
  };
}

/** The body of the message. */
export const bodyOf = (editor: Editor): Component | undefined => editor.getWrapper()?.findType('mj-body')[0];

/** An element as the canvas holds it: its values are escaped, because it writes them as they are. */
export const shownElement = ({ tagName, attributes, content, components }: MjmlElement): object => {
  const shown = shownAttributes(attributes);
  return {
    type: tagName,
    tagName,
    attributes: shown,
    ...(shown.src !== undefined && { src: shown.src }),
    ...(content !== undefined && { content }),
    ...(components && { components: components.map(shownElement) }),
  };
};

const shownAttributes = (attributes: MjmlElement['attributes']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      escapeValue(loadingAttributes.includes(name) ? shieldAddress(value) : value),
    ]),
  );

/** The attributes of a block, without those that are the canvas's defaults. */
export function attributesOf(component: Component): Record<string, string> {
  const attributes: Record<string, unknown> = component.getAttrToHTML();
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, written]) => {
      if (typeof written !== 'string' || written === '' || name === 'id' || name === 'class') return [];
      const value = unescapeValue(written);
      return [[name, loadingAttributes.includes(name) ? unshieldAddress(value) : value]];
    }),
  );
}

/** Sets attributes of a block; an empty one is removed. */
export function setAttributes(component: Component, changes: Readonly<Record<string, string>>): void {
  const { src } = changes;
  if (src !== undefined) component.set('src', escapeValue(shieldAddress(src)));
  const removed = Object.keys(changes).filter((name) => changes[name] === '');
  if (removed.length > 0) component.removeAttributes(removed);
  const given = Object.entries(changes).filter(([, value]) => value !== '');
  if (given.length > 0) component.addAttributes(shownAttributes(Object.fromEntries(given)));
}

export const kindOf = (component: Component): BlockKind => component.get('tagName') as BlockKind;

function elementOf(component: Component): MjmlElement {
  const children = component.components().models;
  const content = String(component.get('content') ?? '');
  const hasWords = ['mj-text', 'mj-button'].includes(kindOf(component));
  return {
    tagName: kindOf(component),
    attributes: attributesOf(component),
    ...(hasWords ? { content } : { components: children.map(elementOf) }),
  };
}
