import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

/** The effect of surrounding elements on whether a place is shown; an inner element can override it. */
export interface Shown {
  /** CSS `visibility`. */
  readonly isVisible: boolean;
  /** Whether text has a size. MJML sets `font-size:0` on cells and a size on their content. */
  readonly hasFont: boolean;
}

/** Elements whose content a browser does not show if it loads all pictures, or shows only as a replacement. */
const unshown: ReadonlySet<string> = new Set(
  (
    'head title style script template textarea noscript noframes noembed iframe object audio video canvas datalist ' +
    'select defs desc metadata symbol'
  ).split(' '),
);

const longestStyle = 10_000;

/** Returns what is shown inside an element; undefined if nothing in it is shown. */
export function shownInside({ tagName, attrs }: Tree.Element, around: Shown): Shown | undefined {
  if (unshown.has(tagName)) return undefined;
  let style = '';
  for (const { name, value } of attrs) {
    if (name === 'hidden') return undefined;
    if (name === 'style') style = value;
  }
  if (style === '') return around;
  const values = declarations(style);
  const is = (name: string, value: RegExp) => value.test(values.get(name) ?? '');
  if (is('display', /^none$/) || is('opacity', zero)) return undefined;
  if (is('overflow', /^hidden\b/) && (is('max-height', zero) || is('height', zero))) return undefined;
  const visibility = values.get('visibility');
  const size = values.get('font-size') ?? fontSizeOf(values.get('font'));
  return {
    isVisible: visibility === undefined ? around.isVisible : !/^(?:hidden|collapse)$/.test(visibility),
    // A percentage of zero is zero.
    hasFont:
      size === undefined ? around.hasFont : !zero.test(size) && (around.hasFont || !relative.test(size)),
  };
}

const zero = /^[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?$/;
const relative = /(?:%|[^r]em|ex|ch)$|^(?:smaller|larger|inherit)$/;

/** The size of the shorthand `font`: the first part that is a length, as in `bold 0/0 a`. */
const fontSizeOf = (font: string | undefined): string | undefined =>
  font?.split(/[\s/]+/).find((part) => /^[+-]?[.\d]+(?:[a-z]+|%)?$/.test(part) && !/^[1-9]00$/.test(part));

/** The declarations of an inline style by property, in lower case; the last one counts, `!important` ones first. */
function declarations(style: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const important = new Set<string>();
  const text = style
    .slice(0, longestStyle)
    .replace(/\/\*.*?(?:\*\/|$)/gs, '')
    .toLowerCase();
  for (const declaration of text.match(/(?:[^;"'(]|"[^"]*(?:"|$)|'[^']*(?:'|$)|\([^)]*(?:\)|$))+/g) ?? []) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const name = declaration.slice(0, colon).trim();
    const [value = '', mark] = declaration.slice(colon + 1).split('!');
    const isImportant = mark?.trim() === 'important';
    if (important.has(name) && !isImportant) continue;
    if (isImportant) important.add(name);
    values.set(name, value.trim());
  }
  return values;
}
