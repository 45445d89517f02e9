import { describe, expect, it } from 'vitest';
import { composer as englishComposer } from '../web/src/words/en/composer.ts';
import { errors as englishErrors } from '../web/src/words/en/errors.ts';
import { settings as englishSettings } from '../web/src/words/en/settings.ts';
import { makeFormat } from '../web/src/words/format.ts';
import { library } from '../web/src/words/fr/library.ts';
import { report } from '../web/src/words/fr/report.ts';
import { run } from '../web/src/words/fr/run.ts';
import { sentOverview } from '../web/src/words/fr/sent-overview.ts';
import { settings } from '../web/src/words/fr/settings.ts';

describe('what the console counts', () => {
  it('has the singular for 1, and in French for 0 too', () => {
    const singular = (language: 'en' | 'fr') => [0, 1, 2, 1_000_000].filter(makeFormat(language).isOne);
    expect([singular('en'), singular('fr')]).toEqual([[1], [0, 1]]);
    expect(makeFormat('fr').isOne(undefined)).toBe(false);
  });

  it('has a length of time by its two largest units, without zeros', () => {
    const { length } = makeFormat('en');
    expect([0, 59.6, 60, 61, 3_600, 3_660, 90_000].map(length)).toEqual([
      '0 s',
      '1 min',
      '1 min',
      '1 min 1 s',
      '1 h',
      '1 h 1 min',
      '25 h',
    ]);
  });

  it.each([
    [
      '0',
      ['0 image', 'jusqu’à 0 caractère', '0 valeur', '0 arrivée, import', '0 non envoyé', '0 est affichée.'],
    ],
    [
      '1',
      ['1 image', 'jusqu’à 1 caractère', '1 valeur', '1 arrivée, import', '1 non envoyé', '1 est affichée.'],
    ],
    [
      '2',
      [
        '2 images',
        'jusqu’à 2 caractères',
        '2 valeurs',
        '2 arrivées, import',
        '2 non envoyés',
        '2 sont affichées.',
      ],
    ],
  ])('in French: %s', (count, texts) => {
    const { growth } = sentOverview;
    const isOne = makeFormat('fr').isOne(Number(count));
    expect([
      library.pictures.count(count, isOne),
      settings.fields.upTo(count),
      settings.fields.values(count),
      growth.joinedBy(count, 'import'),
      report.notSent(count),
      report.shownLimited(count),
    ]).toEqual(texts);
  });

  it('in French, where a sentence has several counts', () => {
    const { growth } = sentOverview;
    expect(growth.day('lun. 2', '1', '2')).toBe('lun. 2 : 1 arrivée, 2 départs');
    expect(growth.week('lun. 2', '3', '0')).toBe('Semaine du lun. 2 : 3 arrivées, 0 départ');
    expect(run.lineAt('09:00', '12', '1')).toBe('09:00 : 12 par seconde, 1 nouveau différé');
    expect(settings.fields.quota('49', '50', '1')).toBe('Champs propres : 49 sur 50, 1 disponible.');
  });

  it('in English', () => {
    expect(['0', '1', '2'].map(englishSettings.fields.values)).toEqual(['0 values', '1 value', '2 values']);
    expect(englishComposer.characters('1')).toBe('1 character');
    expect(englishErrors.rules.tooShort('1')).toBe('This has fewer than 1 character.');
  });
});
