import { expect, it } from 'vitest';
import { normaliseEmail } from '../platform/email-address.ts';
import { sampleDomain, samplePeople, samplePeopleCount } from './sample-people.ts';

it('makes the same people every time, each with a valid address of its own under a reserved domain', () => {
  const people = samplePeople('Sample data');
  expect(samplePeople('Sample data')).toEqual(people);
  const emails = people.map((values) => String(values.get(1)));
  expect(new Set(emails).size).toBe(samplePeopleCount);
  expect(sampleDomain).toMatch(/\.example$/);
  for (const email of emails) {
    expect(normaliseEmail(email)).toBe(email);
    expect(email).toMatch(/^[a-z][a-z-]*\.\d+@sample\.facteur\.example$/);
  }
  // Of more than one script.
  expect(emails.some((email) => email.startsWith('elodie.'))).toBe(true);
  expect(emails.some((email) => /^(layla|olha|sakura|wang-fang|eleni|sarah|priya)\./.test(email))).toBe(true);
});
