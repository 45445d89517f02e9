import { domainToASCII } from 'node:url';
import iconv from 'iconv-lite';
import type { ExpectedLog } from './import-steps.ts';
import { latinCities, latinDomains, latinNames, type Person, type Script, scripts } from './people.ts';
import { Random } from './random.ts';

/** The demo's knowledge of a valid row, to check the service's responses. */
export interface DemoRow extends Person {
  readonly email: string;
  readonly points: number;
  /** 0 subscribed, 1 unsubscribed. */
  readonly status: 0 | 1;
  /** How who does not write in Latin letters is written; a file of code page 1252 cannot hold it. */
  readonly own?: Person & { readonly script: Script };
}

export interface SubscriberFile {
  readonly bytes: Buffer;
  /** Subscribers that the site must hold afterwards, by address. */
  readonly subscribers: ReadonlyMap<string, DemoRow>;
  readonly log: ExpectedLog;
}

interface BadLine {
  readonly text: string;
  /** Whether it cannot even be divided into columns. */
  readonly isBadlyFormatted: boolean;
}

const wrongValue = (text: string): BadLine => ({ text, isBadlyFormatted: false });
const wrongForm = (text: string): BadLine => ({ text, isBadlyFormatted: true });

/** Rows that cannot be imported, one of each kind; a row of more than a megabyte would be another. */
const badLines: readonly BadLine[] = [
  // An invalid address, no address, an invalid number, an unknown status, a name longer than its field.
  wrongValue('Nobody;;Paris;5;0'),
  wrongValue('Nobody;not an address;Paris;5;0'),
  wrongValue('Nobody;bad-points@example.com;Paris;many;0'),
  wrongValue('Nobody;bad-status@example.com;Paris;5;7'),
  wrongValue(`${'Nobody'.repeat(20)};long@example.com;Paris;5;0`),
  // A column too many, one too few, text behind a closed quote, a quote that is not closed, a NUL.
  wrongForm('Nobody;many@example.com;Paris;5;0;surplus'),
  wrongForm('Nobody;few@example.com;Paris;5'),
  wrongForm('Nobody;quoted@example.com;"Paris" (France);5;0'),
  wrongForm('Nobody;open@example.com;"Paris;5;0'),
  wrongForm('Nobody;nul@example.com;Pa\0ris;5;0'),
];

/** A file of `rows` subscribers: `;`, CRLF, code page 1252, some bad rows and some addresses that come twice. */
export function makeSubscriberFile(rows: number, seed = 20261120): SubscriberFile {
  const random = new Random(seed);
  const subscribers = new Map<string, DemoRow>();
  const lines = ['firstname;email;city;points;status'];
  const bad = new Map<number, BadLine>();
  let doubles = 0;
  // One bad row of each kind, whatever the size of the file.
  const badEvery = Math.max(2, Math.floor(rows / badLines.length));
  for (let number = 1; number <= rows; number++) {
    const badLine = number % badEvery === badEvery >> 1 ? badLines[bad.size] : undefined;
    if (badLine) {
      lines.push(badLine.text);
      // The heading is line 1.
      bad.set(number + 1, badLine);
      continue;
    }
    const isDouble = number % 500 === 251;
    const row = isDouble ? again(random, subscribers) : makeRow(random, number);
    if (isDouble) doubles++;
    subscribers.set(row.email, row);
    lines.push(
      `${row.firstName};${isDouble ? row.email.toUpperCase() : row.email};"${row.city}";${row.points};${row.status}`,
    );
  }
  const bytes = iconv.encode(`${lines.join('\r\n')}\r\n`, 'win1252');
  const badlyFormatted = [...bad.values()].filter((line) => line.isBadlyFormatted).length;
  return {
    bytes,
    subscribers,
    log: {
      totalRows: rows,
      nbValidations: rows - bad.size,
      nbErrorRows: bad.size - badlyFormatted,
      nbBadFormattedRows: badlyFormatted,
      badFormattedRowNumbers: [...bad.keys()].join(','),
      totalDuplicateKeys: doubles,
      found: subscribers.size,
      nbForbiddenInserts: 0,
    },
  };
}

function makeRow(random: Random, number: number): DemoRow {
  const rest = { points: random.below(1_000), status: random.below(20) === 0 ? (1 as const) : (0 as const) };
  if (random.below(20) > 0) {
    return {
      email: `reader-${number}@${random.pick(latinDomains)}`,
      firstName: random.pick(latinNames),
      city: random.pick(latinCities),
      ...rest,
    };
  }
  const script = random.pick(scripts);
  const { own, latin } = random.pick(script.people);
  // DNS writes domains in ASCII (IDNA), and so can a file of code page 1252.
  const email = `reader-${number}@${domainToASCII(script.domain)}`;
  return { email, ...latin, ...rest, own: { ...own, script } };
}

/** An earlier person with other points: the last row of a file wins. */
function again(random: Random, known: ReadonlyMap<string, DemoRow>): DemoRow {
  const earlier = [...known.values()][random.below(known.size)] as DemoRow;
  return { ...earlier, points: random.below(1_000) };
}
