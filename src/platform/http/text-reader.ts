import type { TSchema } from 'typebox';

interface Member {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Member;
}

type Reader = (text: unknown) => unknown;

/**
 * Converts, in place, the texts of a path or a query to the types of its schema. Whole numbers are written in digits
 * only, unlike JavaScript's (`0x10`, `1e1`, a space); booleans are true and false; a single value becomes a list of
 * one. A text that does not fit its type stays as it is, for the schema to reject.
 * @throws Error for a parameter of another type
 */
export function textReader(schema: TSchema): (values: Record<string, unknown>) => void {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, Member>> };
  const readers = Object.entries(properties).map(([name, member]) => [name, readerOf(member, name)] as const);
  return (values) => {
    for (const [name, read] of readers) if (values[name] !== undefined) values[name] = read(values[name]);
  };
}

function readerOf(member: Member, name: string): Reader {
  switch (member.type) {
    case 'integer':
      return (text) => (typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text);
    case 'array': {
      const read = readerOf(member.items ?? {}, name);
      return (texts) => [texts].flat().map(read);
    }
    case 'string':
      return (text) => text;
  }
  if (member.enum?.every((word) => typeof word === 'string')) return (text) => text;
  throw new Error(`${name}: nothing in a path or a query can be of this type`);
}
