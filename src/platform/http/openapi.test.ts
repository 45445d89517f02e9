import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { openApiDocument } from './openapi.ts';
import { siteOperation } from './operation.ts';
import { Closed, Id, Line, type Type } from './schema.ts';
import { replyBreach } from './validation.ts';

type Json = Record<string, unknown>;
const withExamples = [
  'createField',
  'modifyField',
  'updateTarget',
  'modifyCampaign',
  'updateSegment',
  'modifySendingConfiguration',
  'createSubscribers',
  'modifySubscribers',
  'createImmediateImport',
  'createTarget',
  'setFieldFilter',
  'createSendingConfiguration',
  'createCampaign',
  'createSegment',
  'trackLink',
  'unsubscribe',
  'resubscribe',
  'subscribe',
  'createSite',
  'createUser',
  'createToken',
  'createRoute',
  'setBehaviourFilter',
  'setThematicFilter',
  'setSendingFilter',
  'setEmailPressureFilter',
  'setGeolocationFilter',
  'setSqlFilter',
  'setFileFilter',
  'registerRepository',
  'setDefaultRepository',
  'loadPostcodes',
  'acceptHostKey',
  'createExport',
  'addSftpPublicKey',
  'createScheduledImport',
];

const document = openApiDocument(operations, '0.0.0');

/** All schemas of strings and integers in a document, wherever they stand. */
function leavesOf(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const one = value as Json;
  if (one.type === 'string' || one.type === 'integer') return [one];
  return Object.values(one).flatMap(leavesOf);
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    // The validator resolves references in place.
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it.each(withExamples)('the example of %s can be sent and is published', (id) => {
    const operation = operations.find((one) => one.id === id)!;
    expect(operation.example).toBeDefined();
    // Validation fills defaults in, so a copy.
    expect(replyBreach(operation.body!, structuredClone(operation.example))).toBeUndefined();
    expect(JSON.stringify(document.paths)).toContain(`"example":${JSON.stringify(operation.example)}`);
  });

  it('every example is one of an operation named here', () => {
    const having = operations.filter((one) => one.example !== undefined).map((one) => one.id);
    expect(having.sort()).toEqual([...withExamples].sort());
  });

  it('every text with a pattern and every integer with limits has an example that fits', () => {
    const leaves = leavesOf(document).filter((one) => 'pattern' in one || 'minimum' in one);
    expect(leaves.length).toBeGreaterThan(100);
    const misfits = leaves.filter(({ examples = [], default: byDefault, ...schema }) => {
      const shown = byDefault === undefined ? (examples as unknown[]) : [byDefault];
      return shown.length === 0 || shown.some((one) => replyBreach(schema, one) !== undefined);
    });
    expect(misfits).toEqual([]);
  });

  it('refuses two different schemas of one title', () => {
    const declared = (id: string, reply: ReturnType<typeof Type.Object>) =>
      siteOperation({
        ...({ id, method: 'GET', path: `/${id}`, right: 'read', tag: 'T', summary: 'S', reply } as const),
        handle: async () => ({}) as never,
      });
    const two = [
      declared('a', Closed('Thing', { id: Id() })),
      declared('b', Closed('Thing', { id: Line(3) })),
    ];
    expect(() => openApiDocument(two, '0')).toThrow('Two different schemas carry the title Thing');
  });
});
