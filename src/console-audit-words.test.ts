import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { audit as english } from '../web/src/words/en/audit.ts';
import { audit as french } from '../web/src/words/fr/audit.ts';
import { serviceSentences } from '../web/src/words/fr/service.ts';
import { translator } from '../web/src/words/translator.ts';
import { operations } from './api.ts';

/** The operations that leave entries in the audit log. */
const audited = operations
  .filter(({ scope, method, unaudited }) => scope !== 'caller' && method !== 'GET' && !unaudited)
  .map(({ id }) => id);

it.each([
  ['English', english],
  ['French', french],
])('the console has words in %s for every operation of the audit log', (_, { areas }) => {
  const acts = Object.values(areas).map(({ acts: ofArea }): Readonly<Record<string, string>> => ofArea);
  const words: Readonly<Record<string, string>> = Object.assign({}, ...acts);
  expect(audited.filter((id) => !words[id])).toEqual([]);
  expect(new Set(Object.values(words)).size).toBe(Object.keys(words).length);
});

describe('the French sentences of the service', () => {
  const texts = textsOfSources();
  /** Put together from shorter texts than a clause. */
  const composed = [
    /^must be an? (integer|boolean|array|object)$/,
    /^must have at least 1 (character|item)$/,
    /^(must be a value of its list|does not exist in)$/,
  ];
  /** The words between numbers, names and marks, which are enough to find a sentence that is put together. */
  const clausesOf = (sentence: string): string[] =>
    sentence
      .split(/\{!?\}|[:;,()]|\. /)
      .map((clause) => clause.trim())
      .filter((clause) => clause.split(' ').length > 2);

  it('are of sentences that the service still says', () => {
    const lost = Object.keys(serviceSentences).flatMap((sentence) =>
      clausesOf(sentence).filter(
        (clause) => !texts.includes(clause) && !composed.some((one) => one.test(clause)),
      ),
    );
    expect(lost).toEqual([]);
  });

  it('have the numbers and names of the English ones', () => {
    const holes = (text: string) => [...text.matchAll(/\{!?\d?\}/g)].length;
    const differ = Object.entries(serviceSentences).filter(
      ([english, own]) => holes(own) > holes(english) || own.includes('{!}'),
    );
    expect(differ).toEqual([]);
  });

  const translate = translator(serviceSentences);
  it.each([
    ['Field 12 (Age): must be a whole number', 'Champ 12 (Age) : un nombre entier est attendu'],
    ['Field 12 (Age): must be from 0 to 3', 'Champ 12 (Age) : de 0 à 3'],
    ['parameters.filename: The file x.csv does not exist', 'Le fichier x.csv n’existe pas'],
    [
      'The relay permanently rejected 200 of 200 messages, the last one with code 554. It is paused: resume it to ' +
        'send the rest, or stop it',
      'Le relais a refusé 200 messages sur 200, le dernier avec le code 554. L’envoi est en pause : reprenez-le ' +
        'pour envoyer le reste, ou arrêtez-le',
    ],
    [
      'No relay can be used; sending is retried: 127.0.0.1:25 cannot be reached: ECONNREFUSED',
      'Aucun relais ne peut servir ; l’envoi est réessayé : 127.0.0.1:25 est injoignable : ECONNREFUSED',
    ],
    [
      'the mailbox does not exist: 550 5.1.1 Who?',
      'la boîte n’existe pas ; le relais a répondu « 550 5.1.1 Who? »',
    ],
    ['SMTP is a protocol', undefined],
    ['Field 12 (Age): smells of fish', undefined],
  ])('translates %s', (english, own) => {
    expect(translate(english)?.replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(own);
  });
});

/** The texts in the source of the service, with `{}` for what is put into them; parts that are joined are one text. */
function textsOfSources(): string {
  return readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.startsWith('testing/'))
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
    .join('\n')
    .replaceAll(/['`"] \+\s*['`"]/g, '')
    .replaceAll("\\'", "'");
}
