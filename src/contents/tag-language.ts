import { type ContentOptions, compileHeader, compileHtml, compileText } from './content-template.ts';
import { compileUrl } from './tag-address.ts';
import type { Compiled } from './tag-compiler.ts';

/** The kinds of sources: `header` is a subject or display name, `url` a URL as a tracked link stores it. */
export type SourceKind = 'html' | 'text' | 'header' | 'url';

export interface TagOptions extends ContentOptions {
  readonly kind: SourceKind;
}

/** Compiles a source with tags: the only entry to the tag language. Mistakes are in `errors`, never thrown. */
export function compileTags(source: string, options: TagOptions): Compiled {
  switch (options.kind) {
    case 'html':
      return compileHtml(source, options);
    case 'text':
      return compileText(source, options);
    case 'header':
      return compileHeader(source, options);
    case 'url':
      return compileUrl(source, options);
  }
}
