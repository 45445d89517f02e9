import { expect, it } from 'vitest';
import type { DocumentMember, UserDocument } from './document.ts';
import { isTellingReply, memberGaps, memberNote, pathsOf } from './member-gaps.ts';

const member = (name: string, record = ''): DocumentMember => ({
  name,
  record,
  isRequired: false,
  values: [],
});
const operation = { method: 'GET', path: '/things', parameters: [], body: undefined, isPaged: false };
const document: UserDocument = {
  operations: [
    {
      ...operation,
      id: 'setThing',
      parameters: [member('mode')],
      body: member('body', 'Thing'),
      reply: 'boolean',
    },
    { ...operation, id: 'getThing', reply: 'Thing' },
    { ...operation, id: 'listThings', reply: 'Thing', isPaged: true },
  ],
  records: new Map([
    ['Thing', [member('name'), member('parts', 'Part')]],
    ['Part', [member('size')]],
  ]),
};

it('names every parameter and every property that no test has shown', () => {
  expect(memberGaps(document, [], new Set())).toEqual([
    'setThing mode: a parameter of the document, and no test gives it',
    'Thing.name: named by the document, and no test shows it with a value',
    'Thing.parts: named by the document, and no test shows it with a value',
    'Part.size: named by the document, and no test shows it with a value',
  ]);
});

it('a property of a record is shown wherever the record appears', () => {
  const notes = [
    memberNote('setThing', 'in', '?mode'),
    memberNote('listThings', 'out', 'items.parts.size'),
    memberNote('getThing', 'out', 'name'),
    memberNote('setThing', 'in', 'parts'),
  ];
  expect(memberGaps(document, notes, new Set())).toEqual([]);
});

it('another place with the same name shows nothing', () => {
  const notes = [memberNote('getThing', 'out', 'size'), memberNote('getThing', 'out', 'items.name')];
  const gaps = memberGaps(document, notes, new Set(['Thing.parts']));
  expect(gaps.map((line) => line.split(':')[0])).toEqual(['setThing mode', 'Thing.name', 'Part.size']);
});

it('paths name what has a value, at any depth', () => {
  const reply = {
    id: 1,
    name: '',
    count: 0,
    isOpen: false,
    at: null,
    none: [],
    parts: [{ size: 0 }, { size: 3 }],
    scheduling: { state: 'None' },
  };
  expect([...pathsOf(reply, isTellingReply)]).toEqual([
    '$',
    'id',
    'parts',
    'parts.size',
    'scheduling',
    'scheduling.state',
  ]);
  expect([...pathsOf([0], () => true)]).toEqual(['$']);
});
