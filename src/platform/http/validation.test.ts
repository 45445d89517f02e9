import { describe, expect, it } from 'vitest';
import { Closed, Line, Text, Type } from './schema.ts';
import { replyBreach } from './validation.ts';

const Thing = Closed('Thing', {
  line: Type.Optional(Line(5)),
  text: Type.Optional(Text(5)),
  word: Type.Optional(Type.String({ pattern: '^[a-z]*$', description: 'a word in lower case' })),
  code: Type.Optional(Type.String({ pattern: '^[0-9]*$' })),
});

describe('what a pattern asks for', () => {
  it.each([
    [{ line: 'a\nb' }, 'line: holds characters that are not allowed (control characters or line ends)'],
    [{ text: 'a\0b' }, 'text: holds characters that are not allowed (NUL or half a surrogate pair)'],
    [{ word: 'A' }, 'word: must be a word in lower case'],
    [{ code: 'A' }, 'code: must match ^[0-9]*$'],
  ])('%j', (data, error) => {
    expect(replyBreach(Thing, data)).toBe(error);
  });
});
