import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import type { Operation } from './platform/http/operation.ts';
import { recordKeyword, referenceKeyword } from './platform/http/schema.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { type Place, type SchemaNode, withValue } from './testing/id-places.ts';
import { callOf } from './testing/isolation-calls.ts';
import { ask, makeOwn } from './testing/own-records.ts';

/** Optional ids whose 0 does not mean none, each with its meaning. */
const otherwise: Readonly<Record<string, string>> = {
  'createExport body.idRepository': 'the embedded SFTP server, as listRepositories names it',
  'createCampaign body.id': 'ignored: the service gives it',
  'createSubscribers body[].id': 'a new subscriber',
  'previewImport body.idRepository': 'the embedded SFTP server, as listRepositories names it',
  'createThematic body.idThematic': 'ignored: the service gives it',
  'modifyCampaign body.id': 'refused: it is required, although its schema is shared with createCampaign',
  'unsubscribe body[].idSubscriptionField': 'the field 0: ids of fields begin there',
  'unsubscribe body[].idUnsubDateField': 'the field 0: ids of fields begin there',
};

/** 0 is refused here: a caller that lost the id of the last job must not send again. */
const refusesZero = 'sendCampaignNow query.afterJob';

/** None is understood, and refused by a rule: each with the refusal. */
const refusesNone: Readonly<Record<string, { readonly status: number; readonly error: string }>> = {
  'previewDraft body.idConfiguration': { status: 422, error: 'no sending configuration' },
};

const all = operations
  .flatMap((operation) =>
    optionalReferences(operation).map((one) => ({ ...one, operation, name: `${operation.id} ${one.place}` })),
  )
  .filter(({ name }) => name !== refusesZero);
const references = all.filter(({ name }) => !(name in otherwise));

/** One walk over every optional id that every operation takes: 0 is as good a word for none as null. */
describe('optional references', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
  });
  afterAll(() => t.close());

  it('are declared as such in bodies, and take 0 in queries', () => {
    const undeclared = references.filter(({ place, isDeclared, least }) =>
      place.startsWith('query') ? least !== 0 : !isDeclared,
    );
    expect(undeclared.map(({ name }) => name)).toEqual([]);
    expect(references.length).toBeGreaterThan(25);
  });

  it('those whose 0 is something else are there, and take it', () => {
    for (const name of Object.keys(otherwise)) {
      const found = all.find((one) => one.name === name);
      expect(found?.isDeclared, name).toBe(false);
      expect(found?.least, name).toBeLessThanOrEqual(0);
    }
  });

  it('are in no reply, which validation would change', () => {
    const changed = operations.filter(({ reply }) => JSON.stringify(reply).includes(referenceKeyword));
    expect(changed.map(({ id }) => id)).toEqual([]);
  });

  it.each(references)('$name: 0 means none', async ({ name, operation, place }) => {
    const own = await makeOwn(t);
    const call = withValue(callOf(operation, own, place), place, 0);
    const { status, error } = await ask(t, operation, call);
    expect({ status, error }).toEqual(refusesNone[name] ?? { status: 200, error: null });
  });
});

/** Where an operation takes the id of a record that need not be named: it may be omitted or be null. */
function optionalReferences(operation: Operation): OptionalReference[] {
  const parts = { query: operation.query, body: operation.body };
  return Object.entries(parts).flatMap(([part, schema]) =>
    schema ? optionalIn(schema as SchemaNode, part) : [],
  );
}

interface OptionalReference {
  readonly place: Place;
  /** Whether it is declared as a `Reference`. */
  readonly isDeclared: boolean;
  /** The least number that its schema takes. */
  readonly least: number | undefined;
}

function optionalIn(node: SchemaNode, place: Place): OptionalReference[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, one]) => {
    const inside = optionalIn(one, `${place}.${name}`);
    const { branches, isNullable } = branchesOf(one);
    const number = branches.find(({ type, [recordKeyword]: record }) => type === 'integer' && record);
    const isOptional = isNullable || !node.required?.includes(name);
    if (!isOptional || !number) return inside;
    return [
      { place: `${place}.${name}`, isDeclared: referenceKeyword in one, least: number.minimum },
      ...inside,
    ];
  });
  return [
    ...members,
    ...(node.items ? optionalIn(node.items, `${place}[]`) : []),
    ...(node.anyOf ?? []).flatMap((one) => optionalIn(one, place)),
  ];
}

function branchesOf(node: SchemaNode): { branches: readonly SchemaNode[]; isNullable: boolean } {
  const all = node.anyOf ?? [node];
  const branches = all.filter(({ type }) => type !== 'null');
  return { branches, isNullable: branches.length < all.length };
}
