import type { RecipientLink, TagError, TagFault, TagField } from './tag.ts';
import { ConditionError, conditionTest } from './tag-condition.ts';
import type { Escape } from './tag-escape.ts';
import { foldKey, type ParsedTag, parseTag } from './tag-parser.ts';
import { maxTags, type RawTag, type TagScan } from './tag-scanner.ts';
import { type Condition, fieldsOf, linksForAll, type Slot, type TagNode } from './tag-tree.ts';
import { displayOf } from './tag-value.ts';

/** A source compiled once, to be filled for each recipient. */
export interface Compiled {
  readonly nodes: readonly TagNode[];
  /** Ids of its fields, ascending. */
  readonly fields: readonly number[];
  /** Links that each recipient gets, in every branch of the conditions. */
  readonly links: ReadonlySet<RecipientLink>;
  /** Mistakes in the order of their positions; a source with mistakes must not be sent. */
  readonly errors: readonly TagError[];
  /** Faults that the author should know about and that do not prevent sending. */
  readonly warnings: readonly TagError[];
}

export interface CompileOptions {
  /** The site's fields: a tag with another field is an error. Default: every field is accepted as Text. */
  readonly fields?: readonly TagField[];
  /** Whether DATA.name is filled from a single send's `emailData`. */
  readonly hasData?: boolean;
  /** Folded keys of content data; a tag with another is an error. Default: none, or any without `fields`. */
  readonly contentData?: ReadonlySet<string>;
}

/** A part of a source, possibly empty, and its replacement, for example a tracked address. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly nodes: readonly TagNode[];
}

/** How one kind of source treats its tags. */
export interface SourceContext {
  /** Whether the source is HTML, where advertisements are allowed. */
  readonly isHtml?: boolean;
  /** The tags of the source, which the caller has already scanned. */
  readonly scan: TagScan;
  readonly escapeAt: (tag: RawTag) => Escape;
  /** Turns the inside of a tag as written into the inside as meant (HTML: entities decoded). */
  readonly decode: (inside: string) => string;
  /** In order and without overlap; tags inside them are ignored. */
  readonly replacements: readonly Replacement[];
}

const maxNesting = 8;
const maxErrors = 100;
/** Maximum number of values in the conditions of a source: reading a date takes 20 µs. */
const maxCompared = 10_000;
const longestTagShown = 80;

/** Compiles a source in the given context; tag-language.ts names the kinds of sources. */
export function compileSource(source: string, context: SourceContext, options: CompileOptions): Compiled {
  return new TagCompiler(source, context, options).compile();
}

interface Open {
  readonly tag: RawTag;
  readonly idField: number;
  readonly test: Condition['test'];
  readonly whenTrue: TagNode[];
  whenFalse: TagNode[] | undefined;
}

class TagCompiler {
  readonly #source: string;
  readonly #context: SourceContext;
  readonly #options: CompileOptions;
  readonly #fields: ReadonlyMap<number, TagField> | undefined;
  readonly #top: TagNode[] = [];
  readonly #open: Open[] = [];
  readonly #errors: TagError[] = [];
  #compared = 0;
  /** Keyed by field: its tags share one. */
  readonly #displays = new Map<number, ReturnType<typeof displayOf>>();

  constructor(source: string, context: SourceContext, options: CompileOptions) {
    this.#source = source;
    this.#context = context;
    this.#options = options;
    this.#fields = options.fields && new Map(options.fields.map((field) => [field.id, field]));
  }

  compile(): Compiled {
    const { replacements, scan } = this.#context;
    const { tags, unclosedAt, excessAt } = scan;
    let from = 0;
    let next = 0;
    for (const tag of tags) {
      for (; next < replacements.length && replacements[next]!.start <= tag.start; next++)
        from = this.#replace(from, replacements[next]!);
      if (tag.start < from) continue;
      this.#literal(from, tag.start);
      this.#tag(tag);
      from = tag.end;
    }
    for (; next < replacements.length; next++) from = this.#replace(from, replacements[next]!);
    this.#literal(from, this.#source.length);
    this.#finish(unclosedAt);
    if (excessAt !== undefined)
      this.#error({ start: excessAt, end: excessAt + 2, inside: '' }, `more than ${maxTags} tags`);
    return {
      nodes: this.#top,
      fields: fieldsOf(this.#top),
      links: linksForAll(this.#top),
      errors: this.#errors.sort((a, b) => a.position - b.position).slice(0, maxErrors),
      warnings: [],
    };
  }

  get #nodes(): TagNode[] {
    const open = this.#open.at(-1);
    return open ? (open.whenFalse ?? open.whenTrue) : this.#top;
  }

  #literal(start: number, end: number): void {
    if (end > start) this.#nodes.push({ kind: 'literal', text: this.#source.slice(start, end) });
  }

  #replace(from: number, { start, end, nodes }: Replacement): number {
    this.#literal(from, start);
    this.#nodes.push(...nodes);
    return end;
  }

  #tag(raw: RawTag): void {
    const tag = parseTag(this.#context.decode(raw.inside));
    if (!tag) this.#error(raw, 'unknown tag', 'unknown_tag');
    else if (tag.kind === 'if') this.#if(raw, tag);
    else if (tag.kind === 'else') this.#else(raw);
    else if (tag.kind === 'end') this.#end(raw);
    else {
      const slot = this.#slotOf(raw, tag);
      if (slot) this.#nodes.push({ kind: 'slot', slot, escape: this.#context.escapeAt(raw) });
    }
  }

  #slotOf(raw: RawTag, tag: Exclude<ParsedTag, { kind: 'if' | 'else' | 'end' }>): Slot | undefined {
    switch (tag.kind) {
      case 'field': {
        const field = this.#field(raw, tag.idField);
        // Property by property: a spread takes several times as long, and there are 10,000 of them.
        if (!field) return undefined;
        return {
          kind: 'field',
          idField: tag.idField,
          byDefault: tag.byDefault,
          display: this.#displayOf(field),
        };
      }
      case 'link':
      case 'conf':
        return tag;
      case 'data':
        if (this.#options.hasData) return tag;
        return this.#error(raw, 'there is no data of a single send to take it from');
      case 'dataRow':
        return this.#rowSlot(raw, tag);
      case 'block':
        return this.#error(raw, `there is no content block '${tag.key}'`, 'unknown_block');
      case 'advertisement':
        if (!this.#context.isHtml) return this.#error(raw, 'advertisements are allowed in HTML only');
        return this.#error(raw, `no advertisement is placed at ${tag.number}`);
    }
  }

  #rowSlot(raw: RawTag, tag: Extract<ParsedTag, { kind: 'dataRow' }>): Slot | undefined {
    const { contentData = new Set() } = this.#options;
    if (this.#fields && !contentData.has(foldKey(tag.key)))
      return this.#error(raw, `there is no content data '${tag.key}'`, 'unknown_data');
    const field = this.#field(raw, tag.idField);
    return field && { ...tag, display: this.#displayOf(field) };
  }

  #displayOf(field: TagField): ReturnType<typeof displayOf> {
    const known = this.#displays.get(field.id);
    if (known) return known;
    const display = displayOf(field);
    this.#displays.set(field.id, display);
    return display;
  }

  #field(raw: RawTag, id: number): TagField | undefined {
    const field = this.#fields ? this.#fields.get(id) : ({ id, fieldType: 'Text' } as const);
    return field ?? this.#error(raw, `there is no field ${id}`, 'unknown_field');
  }

  // A wrong condition is still opened, so that its ELSE and END are not reported too.
  #if(raw: RawTag, tag: Extract<ParsedTag, { kind: 'if' }>): void {
    const isTooDeep = this.#open.length >= maxNesting;
    if (isTooDeep) this.#error(raw, `conditions nest at most ${maxNesting} deep`);
    // Conditions that are omitted or refused need no test; making 10,000 takes a while.
    const isTested = !isTooDeep && this.#errors.length <= maxErrors;
    const test = (isTested ? this.#testOf(raw, tag) : undefined) ?? (() => false);
    this.#open.push({ tag: raw, idField: tag.idField, test, whenTrue: [], whenFalse: undefined });
  }

  #testOf(raw: RawTag, tag: Extract<ParsedTag, { kind: 'if' }>): Condition['test'] | undefined {
    const field = this.#field(raw, tag.idField);
    this.#compared += tag.value?.split(';').length ?? 0;
    if (this.#compared > maxCompared)
      return this.#error(raw, `the conditions compare with more than ${maxCompared} values`);
    try {
      return field && conditionTest(field, tag.operator, tag.value);
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      return this.#error(raw, error.message);
    }
  }

  #else(raw: RawTag): void {
    const open = this.#open.at(-1);
    if (open && !open.whenFalse) open.whenFalse = [];
    else this.#error(raw, 'there is no IF before it', 'no_if');
  }

  #end(raw: RawTag): void {
    const open = this.#open.pop();
    if (!open) this.#error(raw, 'there is no IF before it', 'no_if');
    // Excess nesting is omitted, so that no tree is deeper than the stacks of its readers.
    else if (this.#open.length < maxNesting) {
      const { idField, test, whenTrue, whenFalse = [] } = open;
      this.#nodes.push({ kind: 'condition', idField, test, whenTrue, whenFalse });
    }
  }

  #finish(unclosedAt: number | undefined): void {
    for (const open of this.#open) this.#error(open.tag, 'no END follows it', 'no_end');
    if (unclosedAt === undefined) return;
    const start = this.#source.slice(unclosedAt, unclosedAt + longestTagShown).split(/[\s<]/, 1)[0]!;
    this.#errors.push({
      code: 'unclosed_tag',
      tag: start,
      position: unclosedAt,
      message: `${start}: the tag does not end with ]]`,
    });
  }

  #error(raw: RawTag, why: string, code: TagFault = 'damaged_content'): undefined {
    if (this.#errors.length > maxErrors) return undefined;
    const tag = this.#source.slice(raw.start, Math.min(raw.end, raw.start + longestTagShown));
    this.#errors.push({ code, tag, position: raw.start, message: `${tag}: ${why}` });
  }
}
