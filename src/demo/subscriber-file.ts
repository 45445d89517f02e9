import iconv from 'iconv-lite';
import { Random } from './random.ts';

/** What the demo knows of a good row, to check what the service answers. */
export interface DemoRow {
  readonly email: string;
  readonly firstName: string;
  readonly city: string;
  readonly points: number;
  /** 0 subscribed, 1 unsubscribed. */
  readonly status: 0 | 1;
}

export interface SubscriberFile {
  readonly bytes: Buffer;
  /** Rows below the heading, good or not. */
  readonly rows: number;
  /** Rows that no import can take. */
  readonly badRows: number;
  /** Rows whose address comes again further down. */
  readonly doubleRows: number;
  /** What is to be in the site afterwards, by address. */
  readonly subscribers: ReadonlyMap<string, DemoRow>;
}

// Names with letters of a dozen languages. Code page 1252 holds Latin letters only: other scripts stand in domains,
// where DNS writes them in ASCII (IDNA).
const firstNames = [
  ...[
    'Élodie',
    'François',
    'Zoë',
    'Jürgen',
    'Søren',
    'Åsa',
    'Íñigo',
    'João',
    'Œdipe',
    'Mary-Ann',
    'Siân',
    'Þór',
  ],
  ...['Günther', 'Anaïs', 'Núria', 'Mikaël', "D'Arcy", 'Žofia', 'Renée', 'Ülle', 'Conceição', 'Bjørk'],
];
const cities = [
  'Paris',
  'Besançon',
  'Liège',
  'Münster',
  'Málaga',
  'Århus',
  'São João',
  'Zürich',
  'Nîmes',
  'Brighton',
];
const domains = [
  ...['example.com', 'example.org', 'mail.example.net', 'orange.example', 'xn--80ak6aa92e.example'],
  ...['xn--fsqu00a.example', 'xn--hxajbheg2az3al.example', 'bücher.example'],
];

/** Rows that cannot be imported: no address, no address at all, a number that is none, a column too many. */
const badLines = [
  'Nobody;;Paris;5;0',
  'Nobody;not an address;Paris;5;0',
  'Nobody;bad-points@example.com;Paris;many;0',
];

/** A file of `rows` subscribers: `;`, CRLF, code page 1252, some bad rows and some addresses that come twice. */
export function makeSubscriberFile(rows: number, seed = 20261120): SubscriberFile {
  const random = new Random(seed);
  const subscribers = new Map<string, DemoRow>();
  const lines = ['firstname;email;city;points;status'];
  let badRows = 0;
  let doubleRows = 0;
  for (let number = 1; number <= rows; number++) {
    if (number % 1_000 === 500) {
      lines.push(badLines[badRows % badLines.length]!);
      badRows++;
      continue;
    }
    const isDouble = number % 500 === 250;
    const row = isDouble ? again(random, number, subscribers) : makeRow(random, number);
    if (isDouble) doubleRows++;
    subscribers.set(row.email, row);
    lines.push(
      `${row.firstName};${isDouble ? row.email.toUpperCase() : row.email};"${row.city}";${row.points};${row.status}`,
    );
  }
  const bytes = iconv.encode(`${lines.join('\r\n')}\r\n`, 'win1252');
  return { bytes, rows, badRows, doubleRows, subscribers };
}

function makeRow(random: Random, number: number): DemoRow {
  const domain = random.pick(domains);
  return {
    email: `reader-${number}@${domain}`,
    firstName: random.pick(firstNames),
    city: random.pick(cities),
    points: random.below(1_000),
    status: random.below(20) === 0 ? 1 : 0,
  };
}

/** An address of before with other values: the last row of a file wins. */
function again(random: Random, number: number, known: ReadonlyMap<string, DemoRow>): DemoRow {
  const earlier = [...known.values()][random.below(known.size)];
  return { ...makeRow(random, number), email: (earlier as DemoRow).email };
}
