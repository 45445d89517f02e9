import type { ExpectedLog } from './import-steps.ts';
import { scripts } from './people.ts';
import type { DemoRow } from './subscriber-file.ts';

const invalidUtf8 = Buffer.from([0xc3, 0x28]);

/** Builds a UTF-8 file of the same people in their own scripts, plus unknown, repeated and bad rows. */
export function makeNameFile(subscribers: Iterable<DemoRow>): { bytes: Buffer; log: ExpectedLog } {
  const rows = [...subscribers].flatMap(({ email, own }) =>
    own ? [[own.firstName, `${email.split('@')[0]}@${own.script.domain}`, own.city].join(';')] : [],
  );
  const strangers = scripts.map(({ domain, people }, number) => {
    const { firstName, city } = people[0]!.own;
    return `${firstName};stranger-${number}@${domain};${city}`;
  });
  const doubles = rows.slice(0, 2).map((row) => row.replace(';reader', ';READER'));
  const wrongValues = ['Ελένη;not an address;Αθήνα'];
  const wrongForms = ['ليلى;many@مثال.example;القاهرة;surplus'];
  const sound = [...rows, ...strangers, ...doubles];
  const lines = [
    'firstname;email;city',
    ...sound,
    ...wrongValues,
    ...wrongForms,
    'bytes;no-utf-8@example.com;',
  ];
  const bad = wrongValues.length + wrongForms.length + 1;
  const total = sound.length + bad;
  return {
    bytes: Buffer.concat([Buffer.from(lines.join('\r\n')), invalidUtf8, Buffer.from('\r\n')]),
    log: {
      totalRows: total,
      nbValidations: sound.length,
      nbErrorRows: wrongValues.length,
      nbBadFormattedRows: wrongForms.length + 1,
      // The bad rows are the last ones; the heading is line 1.
      badFormattedRowNumbers: Array.from({ length: bad }, (_, i) => sound.length + 2 + i).join(','),
      totalDuplicateKeys: doubles.length,
      found: rows.length,
      nbForbiddenInserts: strangers.length,
    },
  };
}
