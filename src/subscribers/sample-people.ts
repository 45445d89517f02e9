import { latinNames, type Person, scripts } from '../demo/people.ts';
import { Random } from '../demo/random.ts';
import type { Values } from './subscriber.ts';

/** The domain of made-up people, reserved by RFC 2606; its mail goes to the built-in mailbox (route-pool.ts). */
export const sampleDomain = 'sample.facteur.example';

/** The number of made-up people. */
export const samplePeopleCount = 200;

/** The same people every time: a part of them do not write in Latin letters. */
const seed = 20261125;
const postcodes = ['75011', '69003', '31000', '44000', '59800', '33000', '67000', '13006', '35000', '20200'];

/** The values of the made-up people by field id. @param origin their first and last origin */
export function samplePeople(origin: string): Values[] {
  const random = new Random(seed);
  return Array.from({ length: samplePeopleCount }, (_, index) => {
    const { firstName } = personOf(random);
    return new Map<number, string>([
      [1, `${asciiOf(firstName)}.${index + 1}@${sampleDomain}`],
      [5, origin],
      [6, origin],
      [40, random.pick(postcodes)],
      [41, 'FR'],
    ]);
  });
}

function personOf(random: Random): Pick<Person, 'firstName'> {
  if (random.below(8) > 0) return { firstName: random.pick(latinNames) };
  return random.pick(random.pick(scripts).people).latin;
}

/** A name as the local part of an address: ASCII letters in lower case, with hyphens between words. */
function asciiOf(name: string): string {
  const letters = name
    .normalize('NFD')
    .replaceAll(/[øØ]/g, 'o')
    .replaceAll(/[œŒ]/g, 'oe')
    .replaceAll(/[þÞ]/g, 'th')
    .replaceAll(/[^A-Za-z -]/g, '');
  return letters.trim().toLowerCase().replaceAll(' ', '-');
}
