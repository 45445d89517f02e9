import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FacteurProcess } from '../testing/child-process.ts';

/** The demo as a newcomer starts it, with fewer subscribers: nothing runs yet, so it starts a service of its own. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-run-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const figures = [
  'totalRows',
  'nbValidations',
  'nbErrorRows',
  'nbBadFormattedRows',
  'totalDuplicateKeys',
  'found',
  'nbUpdates',
  'scriptsReadRight',
  'nbAddressToSend',
  'nbAddressSent',
  'nbOpeners',
  'nbHumanOpeners',
  'nbOpenings',
  'nbClickers',
  'nbClicks',
  'nbViralClicks',
  'nbGodsons',
  'nbUnsubs',
  'nbHardBounces',
];

test('the main job, over the public interfaces: every figure agrees, and nothing is left behind', {
  timeout: 180_000,
}, async () => {
  const demo = new FacteurProcess(['demo', '600'], {
    // Nobody answers there.
    FACTEUR_PORT: '9',
    FACTEUR_DATA_DIR: join(folder, 'data'),
    TMPDIR: folder,
    HOME: folder,
  });
  const { code, stderr } = await demo.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('Every figure agrees.')]);
  for (const name of figures) {
    const [, counted, done] =
      new RegExp(`^\\s*${name} +(\\d+) +done +(\\d+) +agrees$`, 'm').exec(stderr) ?? [];
    expect([name, counted]).toEqual([name, done]);
    expect(Number(done)).toBeGreaterThan(0);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('facteur-demo'))).toEqual([]);
});
