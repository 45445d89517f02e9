import type { MjmlElement } from './mjml-text.ts';

/** The blocks that can be added, in the order of the menu. */
export const addedKinds = ['mj-text', 'mj-image', 'mj-button', 'mj-divider', 'mj-spacer'] as const;
export type AddedKind = (typeof addedKinds)[number];
export type BlockKind = AddedKind | 'mj-section' | 'mj-column' | 'mj-body';

const text = { 'font-family': 'Arial, sans-serif', 'font-size': '16px', 'line-height': '1.5' };
const ink = '#1f1d1a';

/** The words that new blocks begin with. */
export interface StarterWords {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly unsubscribe: string;
}

/** A new block. */
export function newBlock(kind: AddedKind, words: StarterWords): MjmlElement {
  switch (kind) {
    case 'mj-text':
      return { tagName: kind, attributes: { ...text, color: ink }, content: words.text };
    case 'mj-button':
      return {
        tagName: kind,
        attributes: { ...text, 'line-height': '1.2', 'background-color': '#2f54c9', color: '#ffffff' },
        content: words.button,
      };
    case 'mj-image':
      return { tagName: kind, attributes: { src: '', alt: '' } };
    case 'mj-divider':
      return { tagName: kind, attributes: { 'border-width': '1px', 'border-color': '#d6d2ca' } };
    case 'mj-spacer':
      return { tagName: kind, attributes: { height: '24px' } };
  }
}

/** A section with one column. */
export const newSection = (...components: MjmlElement[]): MjmlElement => ({
  tagName: 'mj-section',
  attributes: {},
  components: [{ tagName: 'mj-column', attributes: {}, components }],
});

/** The layout that a message begins with: header, text, button, and a footer with the unsubscribe link. */
export function starterBody(words: StarterWords): MjmlElement {
  const title = newBlock('mj-text', words);
  const footer = newBlock('mj-text', words);
  return {
    tagName: 'mj-body',
    attributes: { 'background-color': '#ffffff' },
    components: [
      newSection({
        ...title,
        attributes: { ...title.attributes, 'font-size': '24px', 'line-height': '1.3', 'font-weight': '700' },
        content: words.title,
      }),
      newSection(newBlock('mj-text', words), newBlock('mj-button', words)),
      newSection(newBlock('mj-divider', words), {
        ...footer,
        attributes: { ...footer.attributes, 'font-size': '13px', color: '#57534c', align: 'center' },
        content: `<a href="[[LINK.UNSUB]]" style="color: #57534c">${words.unsubscribe}</a>`,
      }),
    ],
  };
}
