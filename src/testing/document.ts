import { readFileSync } from 'node:fs';

/** A property or a parameter of the user's document. */
export interface DocumentMember {
  readonly name: string;
  readonly isRequired: boolean;
  /** The values that it can have; empty: any. */
  readonly values: readonly string[];
  /** The record that it holds, alone, in an array or in a map; '' for a plain value. */
  readonly record: string;
}

export interface DocumentOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Parameters of the query; the path names its own. */
  readonly parameters: readonly DocumentMember[];
  /** The body; undefined where there is none. Its record is '' when it is a plain value or an array of such. */
  readonly body: DocumentMember | undefined;
  /** `data`: its record, or the type of a plain value. */
  readonly reply: string;
  readonly isPaged: boolean;
}

export interface UserDocument {
  readonly operations: readonly DocumentOperation[];
  readonly records: ReadonlyMap<string, readonly DocumentMember[]>;
}

/** Reads the operations and records of the user's document; `document.txt` describes its format. */
export function readDocument(): UserDocument {
  const text = readFileSync(new URL('document.txt', import.meta.url), 'utf8');
  const operations: DocumentOperation[] = [];
  const records = new Map<string, DocumentMember[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [head, rest] = line.split(/: ?(.*)/, 2) as [string, string];
    const [first, second, third] = head.split(' ') as [string, string, string];
    if (first === 'record') records.set(second, rest.split(' ').map(memberOf));
    else operations.push(operationOf(first, second, third, rest));
  }
  return { operations, records };
}

function operationOf(id: string, method: string, path: string, rest: string): DocumentOperation {
  const [given, data] = rest.split(/ ?> /, 2) as [string, string];
  const members = given.split(' ').filter(Boolean).map(memberOf);
  const isPaged = data.startsWith('Paged:');
  return {
    id,
    method,
    path,
    parameters: members.filter(({ name }) => name !== 'body'),
    body: members.find(({ name }) => name === 'body'),
    reply: data.replace('Paged:', ''),
    isPaged,
  };
}

function memberOf(text: string): DocumentMember {
  const [, name = '', required, values = '', record = ''] =
    /^([\w.]+)(!?)(?:=([^:]+))?(?::(\w+))?$/.exec(text) ?? [];
  if (name === '') throw new Error(`document.txt: cannot read the member ${text}`);
  return { name, isRequired: required === '!', values: values.split('|').filter(Boolean), record };
}
