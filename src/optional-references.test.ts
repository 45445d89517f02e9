import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { referenceKeyword } from './platform/http/schema.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { optionalReferences, withValue } from './testing/id-places.ts';
import { probes } from './testing/isolation-matrix.ts';
import { ask, makeOwn } from './testing/own-records.ts';

/** Optional ids whose 0 is something else than none, each with what it is. */
const otherwise: Readonly<Record<string, string>> = {
  'createExport body.idRepository': 'the embedded SFTP server, as listRepositories names it',
  'previewImport body.idRepository': 'the embedded SFTP server, as listRepositories names it',
  'createThematic body.idThematic': 'ignored: the service gives it',
  'unsubscribe body[].idSubscriptionField': 'the field 0: ids of fields begin there',
  'unsubscribe body[].idUnsubDateField': 'the field 0: ids of fields begin there',
};

const all = operations.flatMap((operation) =>
  optionalReferences(operation).map((one) => ({ ...one, operation, name: `${operation.id} ${one.place}` })),
);
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

  it.each(references)('$name: 0 is none', async ({ operation, place }) => {
    const own = await makeOwn(t);
    const known = probes[operation.id];
    const probe = known?.find(({ ids }) => place in ids) ?? known?.[0];
    const call = withValue(probe?.own(own) ?? {}, place, 0);
    const { status, error } = await ask(t, operation, call);
    expect({ status, error }).toEqual({ status: 200, error: null });
  });
});
