import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { openApiDocument } from './openapi.ts';
import { siteOperation } from './operation.ts';
import { Bool, Closed, Id, Line, Nullable, Type, typeNamer, typeNamesOf } from './schema.ts';
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
  'updateUser',
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
  'assignAdvertisement',
  'createAdvertisement',
  'createAdvertiser',
  'createAffiliation',
  'createPictureDirectory',
  'renamePicture',
  'uploadPicture',
];

const document = openApiDocument(operations, '0.0.0');

/** All schemas of strings and integers in a document, wherever they stand. */
function leavesOf(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const one = value as Json;
  if (one.type === 'string' || one.type === 'integer') return [one];
  return Object.values(one).flatMap(leavesOf);
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly Json[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Json;
}

const operationsOf = ({ paths }: Json) =>
  Object.values(paths as Json).flatMap((path) => Object.values(path as Json) as Described[]);

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

  it('has the sections of a site before those of administration', () => {
    const names = (document.tags as { name: string }[]).map(({ name }) => name);
    const ofSites = operations.filter(({ scope }) => scope === 'site').map(({ tag }) => tag);
    expect(names[0]).toBe('Fields');
    expect(new Set(names.slice(0, -2))).toEqual(new Set(ofSites));
    expect(names.slice(-2)).toEqual(['Administration', 'Mailbox']);
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

  it.each(operations.map((one) => [one.id, one] as const))(
    'every typeName of %s is a component, a list or a page of one, or a primitive',
    (_, operation) => {
      const { schemas } = document.components as { schemas: Json };
      const known = new Set([...Object.keys(schemas), 'Boolean', 'Int32', 'String']);
      const names = typeNamesOf(operation.reply);
      const unknown = names.filter((name) => !known.has(name.replace(/^Paged<(.+)>$|^(.+)\[\]$/, '$1$2')));
      expect(unknown).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  it('every number in a path has an example of its own, which the reference fills in', () => {
    const inPaths = operationsOf(document).flatMap(({ parameters }) =>
      parameters.filter((one) => one.in === 'path'),
    );
    const numbers = inPaths.filter(({ schema }) => (schema as Json).type === 'integer');
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.filter(({ example }) => typeof example !== 'number')).toEqual([]);
  });

  it('a body is required but where a call without one is taken', () => {
    const optional = operationsOf(document).filter(({ requestBody }) => requestBody?.required === false);
    expect(optional.map(({ operationId }) => operationId)).toEqual(['deleteSubscribers']);
  });

  it('every operation can find the database away: 503', () => {
    expect(operationsOf(document).filter(({ responses }) => !(503 in responses))).toEqual([]);
  });

  it('a union of replies has the typeName of the branch that the data is of', () => {
    const Thing = Closed('Thing', { id: Id() });
    const nameOf = typeNamer(Type.Union([Bool(), Thing, Type.Array(Thing), Type.Null()]));
    expect([true, { id: 1 }, [{ id: 1 }]].map(nameOf)).toEqual(['Boolean', 'Thing', 'Thing[]']);
    expect(typeNamer(Nullable(Thing))(null)).toBe('Thing');
    expect(() => typeNamer(Type.Union([Thing, Closed('Other', {})]))).toThrow('different JSON types');
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
