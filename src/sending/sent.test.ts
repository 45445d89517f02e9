import { expect, it } from 'vitest';
import { figures } from '../activity/figures.ts';
import { Sent } from './sent.ts';

/** The names that a sending has for figures with another name everywhere else. */
const otherNames: Readonly<Record<string, keyof typeof figures>> = {
  nbAutoResponders: 'nbAutoRespondersBounces',
  nbDnsErrors: 'nbDnsErrorsBounces',
  nbSpam: 'nbSpamBounces',
};

/** The description of a property that may be null. */
function descriptionOf(schema: object): string | undefined {
  const { description, anyOf } = schema as { description?: string; anyOf?: { description?: string }[] };
  return description ?? anyOf?.[0]?.description;
}

it('every property of a sending has a description, and every counter that of a job', () => {
  const said = Object.entries(Sent.properties).map(([name, one]) => [name, descriptionOf(one)] as const);
  expect(said.filter(([, description]) => !description)).toEqual([]);
  const counts = said.filter(([name]) => name.startsWith('nb') && name !== 'nbAddressToSend');
  expect(counts).toHaveLength(9);
  for (const [name, description] of counts) {
    const figure = otherNames[name] ?? (name as keyof typeof figures);
    expect(description, name).toBe(descriptionOf(figures[figure]));
  }
});
