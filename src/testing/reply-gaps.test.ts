import { expect, it } from 'vitest';
import type { Operation } from '../platform/http/operation.ts';
import { Bool, Params, Type } from '../platform/http/schema.ts';
import { noteOf, replyGaps } from './reply-gaps.ts';

const operation = {
  ...{ id: 'setThing', method: 'PUT', path: '/things/{idThing}', scope: 'site', right: 'write', tag: 'T' },
  ...{ summary: 'S', params: Params({ idThing: Type.Integer() }), body: Bool(), reply: Bool() },
  refusals: [409],
  handle: async () => true,
} as unknown as Operation;

const own = [200, 404, 409].map((status) => noteOf('handler', 'setThing', status));
const shared = [400, 403, 404, 413].map((status) => noteOf('answer', 'setThing', status));
const answered = own.map((line) => line.replace('handler', 'answer'));
const all = [...own, ...shared, ...answered];

it('nothing is missing when each declared reply was seen', () => {
  expect(replyGaps([operation], all)).toEqual([]);
});

it('everything is missing when nothing was noted', () => {
  const unseen = (status: number) => `setThing ${status}: declared, and no test shows it`;
  expect(replyGaps([operation], [])).toEqual([200, 404, 409, 400, 403, 413].map(unseen));
});

it('what the handler says is not shown by what is answered before it', () => {
  const without = all.filter((line) => line !== noteOf('handler', 'setThing', 404));
  expect(replyGaps([operation], without)).toEqual(['setThing 404: declared, and no test shows it']);
});

it('what is not declared is reported, except what any operation may give', () => {
  const more = [
    ...[400, 422, 429].map((status) => noteOf('handler', 'setThing', status)),
    ...[401, 422, 429, 500, 503].map((status) => noteOf('answer', 'setThing', status)),
    noteOf('handler', 'anotherThing', 413),
  ];
  expect(replyGaps([operation], [...all, ...more])).toEqual([
    'setThing 422: answered, and not declared',
    'setThing 500: answered, and not declared',
  ]);
});
