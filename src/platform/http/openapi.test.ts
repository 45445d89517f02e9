import { execFileSync } from 'node:child_process';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { referenceWords } from '../../reference-words.ts';
import { describeWith } from '../../testing/daemon.ts';
import { exampleFault, readExamples } from '../../testing/examples.ts';
import { errorCodes } from './error-codes.ts';
import { openApiDocument } from './openapi.ts';
import { siteOperation } from './operation.ts';
import { Bool, Closed, Id, Line, Nullable, Type, typeNamer, typeNamesOf } from './schema.ts';
import { replyBreach } from './validation.ts';

type Json = Record<string, unknown>;
const withExamples = [
  'computeSegmentSpamScore',
  'computeSpamScores',
  'createField',
  'modifyField',
  'updateTarget',
  'createTargetWithFilters',
  'countUnsavedTarget',
  'listUnsavedTargetPeople',
  'modifyCampaign',
  'modifyCampaignFields',
  'setCampaignMjml',
  'updateSegment',
  'modifySendingConfiguration',
  'createSubscribers',
  'modifySubscribers',
  'createImmediateImport',
  'tryImport',
  'createTarget',
  'setFieldFilter',
  'createSendingConfiguration',
  'createCampaign',
  'duplicateCampaign',
  'createSegment',
  'createSampleData',
  'trackLink',
  'unsubscribe',
  'resubscribe',
  'scheduleCampaign',
  'scheduleCampaignDaily',
  'subscribe',
  'testRoute',
  'createSite',
  'previewImport',
  'signIn',
  'changePassword',
  'requestPasswordLink',
  'usePasswordLink',
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
  'setPrices',
  'setRouteWebhook',
  'markInvoicePaid',
  'registerRepository',
  'setDefaultRepository',
  'loadPostcodes',
  'acceptHostKey',
  'createContentData',
  'createExport',
  'addSftpPublicKey',
  'createScheduledImport',
  'modifyImportSchedule',
  'assignAdvertisement',
  'createAdvertisement',
  'createPasskey',
  'finishProviderSignIn',
  'signInWithPasskey',
  'startPasskey',
  'createAdvertiser',
  'createAffiliation',
  'createPictureDirectory',
  'renamePicture',
  'uploadPicture',
  'updateContentBlock',
  'updateMe',
  'updateSite',
];

const examples = readExamples();
const document = openApiDocument({ operations, version: '0.0.0', words: referenceWords, examples });

/** All schemas of strings and integers in a document, at any depth. */
function leavesOf(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const one = value as Json;
  if (one.type === 'string' || one.type === 'integer') return [one];
  return Object.values(one).flatMap(leavesOf);
}

/** All objects that look like schemas, at any depth except in examples. */
function schemasOf(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const { example: _, examples: __, ...rest } = value as Json;
  return [value as Json, ...Object.values(rest).flatMap(schemasOf)];
}

const patterns = [...new Set(schemasOf(document).map(({ pattern }) => pattern))].filter(
  (one) => typeof one === 'string',
);

describeWith('python3', 'the patterns of the document', () => {
  it('are read by Python', () => {
    const script = 'import json, re, sys\nfor one in json.load(sys.stdin): re.compile(one)';
    execFileSync('python3', ['-c', script], { input: JSON.stringify(patterns) });
    expect(patterns.length).toBeGreaterThan(3);
  });
});

interface Described {
  readonly operationId: string;
  readonly parameters: readonly Json[];
  readonly requestBody?: Json;
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

  // A stream has no data to show, a file no envelope.
  const answering = operations.filter((one) => !one.sendsEvents && !one.givesFile);
  it.each(answering.map((one) => [one.id, one] as const))(
    'what the tests sent to %s and were answered is published, and its schemas still take it',
    (id, operation) => {
      expect(exampleFault(operation, examples[id])).toBeUndefined();
      expect(JSON.stringify(document.paths)).toContain(`"data":${JSON.stringify(examples[id]!.data)}`);
    },
  );

  it('describes every parameter and every section, and gives each body and each success an example', () => {
    const { parameters } = document.components as { parameters: Json };
    const said = [...operationsOf(document).flatMap((one) => one.parameters), ...Object.values(parameters)];
    const named = (said as Json[]).filter((one) => !('$ref' in one));
    expect(named.filter(({ description }) => !description)).toEqual([]);
    expect((document.tags as Json[]).filter(({ description }) => !description)).toEqual([]);
    for (const { operationId, requestBody, responses } of operationsOf(document)) {
      const bodies = [requestBody, responses[200]].filter(Boolean) as { content: Json }[];
      // A file and a stream have none.
      const contents = bodies.filter(
        ({ content }) => !('application/octet-stream' in content || 'text/event-stream' in content),
      );
      for (const { content } of contents)
        expect([operationId, content['application/json']]).toEqual([
          operationId,
          expect.objectContaining({ example: expect.anything() }),
        ]);
    }
  });

  it('has each failure, header and code once', () => {
    for (const { responses } of operationsOf(document)) {
      const { 200: _, ...others } = responses;
      for (const one of Object.values(others))
        expect(one).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/[A-Z]\w+$/) });
    }
    const { headers, responses } = document.components as { headers: Json; responses: Json };
    expect(headers['x-error-code']).toMatchObject({
      schema: { type: 'string', enum: Object.keys(errorCodes) },
    });
    expect(responses.TooMany).toMatchObject({ headers: { 'retry-after': expect.anything() } });
  });

  it('has a type beside each const and each list of words', () => {
    const bare = schemasOf(document).filter(
      (one) => ('const' in one || Array.isArray(one.enum)) && !('type' in one),
    );
    expect(bare).toEqual([]);
  });

  it('has none of our keywords that only validation acts on', () => {
    expect(JSON.stringify(document)).not.toContain('x-well-formed');
  });

  it('has patterns that JavaScript without its flag u reads, and that mean the same to Java', () => {
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      // What only some know: properties, named groups, look-behind; in a class [ and && are operators in Java.
      expect(pattern).not.toMatch(/\\[pPkuU]\{|\(\?(?!:)|\[[^\]]*(?<!\\)(?:\[|&&)/);
    }
  });

  it('has the sections of a site before those of the caller, and these before administration', () => {
    const names = (document.tags as { name: string }[]).map(({ name }) => name);
    const ofSites = operations.filter(({ scope }) => scope === 'site').map(({ tag }) => tag);
    expect(names[0]).toBe('Fields');
    expect(new Set(names.slice(0, -3))).toEqual(new Set(ofSites));
    expect(names.slice(-3)).toEqual(['Session', 'Administration', 'Mailbox']);
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

  it.each(operations.filter((one) => !one.givesFile).map((one) => [one.id, one] as const))(
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

  it('every operation can return 503 for an unavailable database', () => {
    expect(operationsOf(document).filter(({ responses }) => !(503 in responses))).toEqual([]);
  });

  it('a union of replies has the typeName of the branch that the data is of', () => {
    const Thing = Closed('Thing', { id: Id('target') });
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
      declared('a', Closed('Thing', { id: Id('target') })),
      declared('b', Closed('Thing', { id: Line(3) })),
    ];
    expect(() =>
      openApiDocument({
        operations: two,
        version: '0',
        words: { sections: { T: 'Things' }, parameters: {} },
      }),
    ).toThrow('Two different schemas carry the title Thing');
  });
});
